// Converts a bit set to ascending positions of its ones. The kernel that set the bits has counted them in blocks of
// BLOCK words. A thread processes a word, whose place in the list is the sum of all counts before it.
//
// `found` returns to the host: the total, a word that the task defines, and the list, cut off after `room` positions.

struct Compact { const u32* bits; const u32* counts; u32* found; u32 words; u32 room; };

extern "C" __global__ void __launch_bounds__(BLOCK) compact(const Compact job) {
  const bool last = blockIdx.x == gridDim.x - 1;
  if (!job.counts[blockIdx.x] && !last) return;
  i32 part = 0, before, all;
  for (u32 b = threadIdx.x; b < blockIdx.x; b += BLOCK) part += job.counts[b];
  sum_before(part, before);
  const u32 w = blockIdx.x * BLOCK + threadIdx.x;
  u32 bits = w < job.words ? job.bits[w] : 0;
  u32 at = before + sum_before(__popc(bits), all);
  for (; bits; bits &= bits - 1, at++) if (at < job.room) job.found[LIST + at] = w * 32 + __ffs(bits) - 1;
  if (last && !threadIdx.x) job.found[0] = before + all;
}
