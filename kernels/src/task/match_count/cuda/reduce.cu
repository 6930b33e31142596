// Reduces the scores to summaries. Compiled for SCORE bytes of a score, 2 or 4.

#if SCORE == 2
typedef unsigned short Score;
#else
typedef u32 Score;
#endif

constexpr u32 EACH = 16 / SCORE; // number of scores in 16 bytes

struct Span { u32 least; u32 most; u64 sum; };
struct Spans { const Score* scores; Span* spans; u32 offsets; u32 width; u32 count; };
struct Mark { const Score* scores; const Span* spans; u32* bits; u32* counts; u32 offsets; u32 width; u32 from; u32 to; };
struct Look { const Score* scores; const u32* list; u32* found; u32 length; };

// Reduces the scores of a span to their minimum, maximum and sum, with a warp for each span.
extern "C" __global__ void __launch_bounds__(256) spans(const __grid_constant__ Spans job) {
  const u32 lane = threadIdx.x & 31, span = blockIdx.x * 8 + threadIdx.x / 32;
  if (span >= job.count) return;
  const u32 from = span * job.width, end = min(from + job.width, job.offsets);
  Span own = {EVERY, 0, 0};
  u32 at = from;
  if (job.width >= 32 * EACH) {
    u32 least = EVERY, most = 0; // two per word if scores are short
    auto take = [&](uint4 v) {
      const u32 w[4] = {v.x, v.y, v.z, v.w};
      u32 sum = 0;
      #pragma unroll
      for (int i = 0; i < 4; i++)
        if (SCORE == 2) { least = __vminu2(least, w[i]); most = __vmaxu2(most, w[i]); sum += (w[i] & 0xffff) + (w[i] >> 16); }
        else { least = min(least, w[i]); most = max(most, w[i]); own.sum += w[i]; }
      own.sum += sum;
    };
    auto load = [&](u32 i) { return *(const uint4*)(job.scores + at + (i * 32 + lane) * EACH); };
    for (; at + 8 * 32 * EACH <= end; at += 8 * 32 * EACH) { // eight loads in flight
      uint4 v[8];
      #pragma unroll
      for (int i = 0; i < 8; i++) v[i] = load(i);
      #pragma unroll
      for (int i = 0; i < 8; i++) take(v[i]);
    }
    for (; at + 32 * EACH <= end; at += 32 * EACH) take(load(0));
    own.least = SCORE == 2 ? min(least & 0xffff, least >> 16) : least;
    own.most = SCORE == 2 ? max(most & 0xffff, most >> 16) : most;
  }
  for (at += lane; at < end; at += 32) {
    const u32 score = job.scores[at];
    own.least = min(own.least, score); own.most = max(own.most, score); own.sum += score;
  }
  for (int d = 16; d; d >>= 1) {
    own.least = min(own.least, __shfl_xor_sync(EVERY, own.least, d));
    own.most = max(own.most, __shfl_xor_sync(EVERY, own.most, d));
    own.sum += __shfl_xor_sync(EVERY, own.sum, d);
  }
  if (!lane) job.spans[span] = own;
}

// Sets a bit for every score from `from` to `to`, both inclusive. A warp creates 32 words. Scores of spans without a
// match are not read.
extern "C" __global__ void __launch_bounds__(256) mark(const __grid_constant__ Mark job) {
  const u32 lane = threadIdx.x & 31, warp = blockIdx.x * 8 + threadIdx.x / 32, first = warp * 1024;
  if (first >= job.offsets) return;
  u32 own = 0;
  const Span span = job.spans[first / job.width];
  if (job.width < 1024 || (span.most >= job.from && span.least <= job.to))
    for (u32 i = 0; i < 32; i++) {
      const u32 at = first + i * 32 + lane, score = at < job.offsets ? job.scores[at] : 0;
      const u32 word = __ballot_sync(EVERY, at < job.offsets && score >= job.from && score <= job.to);
      if (i == lane) own = word;
    }
  if (first + lane * 32 < job.offsets) job.bits[warp * 32 + lane] = own;
  const i32 count = warp_sum(__popc(own));
  if (!lane && count) atomicAdd(job.counts + warp / (BLOCK / 32), count);
}

// Reads the scores at the offsets of a list.
extern "C" __global__ void __launch_bounds__(256) look(const __grid_constant__ Look job) {
  const u32 i = blockIdx.x * 256 + threadIdx.x;
  if (i < job.length) job.found[i] = job.scores[job.list[i]];
}
