// Exact search as in paper 004. `naive` (section V.A) runs on one thread. `kmp` is `kmp_kernel` of section VII: a
// thread for each piece of 2m symbols, and an aid thread for the 2m symbols around the end of each. With `whole` it is
// the sequential search of section VI on one thread. The thread that finds an occurrence marks it in `answer`, a byte
// for each position. The host computes the table `next`, as in the paper. `collect` converts the answer to a bit set
// with counts, for the host.

constexpr u32 STEPS = 1 << 16;  // steps of one thread between two reports, or a pattern
constexpr u32 ROUNDS = 1 << 12; // iterations of one thread between two reports

struct Naive { const Symbol* p; const Symbol* s; u8* answer; Watch watch; u32 m; u32 offsets; };
struct Kmp { const Symbol* p; const Symbol* s; const u32* next; u8* answer; Watch watch; u32 m; u32 n; u32 threads; u32 whole; };
struct Collect { const u8* answer; u32* bits; u32* counts; u32 positions; u32 pad; };

// An offset counts as m steps, even if its comparisons end earlier.
extern "C" __global__ void naive(const __grid_constant__ Naive job) {
  u32 steps = 0;
  for (u32 k = 0; k < job.offsets; k++) {
    u32 i = 0, told = 0;
    while (i < job.m && job.p[i] == job.s[k + i]) {
      i++;
      if (steps + i - told >= STEPS) {
        if (stops(job.watch, steps + i - told)) return;
        steps = 0;
        told = i;
      }
    }
    job.answer[k] = i == job.m;
    steps += job.m - told;
    if (steps >= STEPS) {
      if (stops(job.watch, steps)) return;
      steps = 0;
    }
  }
  stops(job.watch, steps);
}

extern "C" __global__ void __launch_bounds__(THREADS) kmp(const __grid_constant__ Kmp job) {
  const u32 id = blockIdx.x * THREADS + threadIdx.x, m = job.m;
  u64 cursor = 0, end = 0;
  if (job.whole) {
    end = id ? 0 : job.n;
  } else if (id < job.threads) {
    const u64 offset = 2ull * m;
    if (2ull * id < job.threads) {
      cursor = id * offset;
      end = cursor + offset;
    } else {
      const u64 border = (id % (job.threads / 2)) * offset + offset;
      cursor = border - m;
      end = border + m;
    }
    cursor = min(cursor, (u64)job.n);
    end = min(end, (u64)job.n);
  }
  u32 i = (u32)cursor, told = i, j = 0, rounds = 0;
  while (i < end) {
    if (job.p[j] == job.s[i]) { j++; i++; }
    if (j == m) {
      job.answer[i - j] = 1;
      j = job.next[j - 1];
    } else if (i < end && job.p[j] != job.s[i]) {
      if (j) j = job.next[j - 1];
      else i++;
    }
    if (++rounds == ROUNDS) {
      if (stops(job.watch, i - told)) break;
      told = i;
      rounds = 0;
    }
  }
  // Unreported symbols of all threads of the block.
  i32 all;
  sum_before(i - told, all);
  if (!threadIdx.x) stops(job.watch, all);
}

extern "C" __global__ void __launch_bounds__(THREADS) collect(const __grid_constant__ Collect job) {
  const u32 at = blockIdx.x * THREADS + threadIdx.x;
  const u32 word = __ballot_sync(EVERY, at < job.positions && job.answer[at]);
  if (threadIdx.x & 31 || at >= job.positions) return;
  job.bits[at / 32] = word;
  if (word) atomicAdd(job.counts + at / 32 / BLOCK, __popc(word));
}
