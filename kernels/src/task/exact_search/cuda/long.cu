// Long patterns, in linear time for any texts. Compiled for UNIT bytes of a symbol, 1 or 4.
//
// If the head occurs at few offsets, a block compares the rest of the pattern at each (`verify`).
//
// Otherwise, fingerprints are used (Karp and Rabin, 1987), modulo the prime 2^61 − 1 with a random base for every
// search. Symbols count as x = number + 1. `tiles` and `tops` compute sums up to every 32nd symbol. `windows` continues
// from there and sets a bit if the window of m symbols has the pattern's fingerprint. No occurrence is missed, and
// `chain` proves that nothing else is found:
//   a candidate whose next one is d < m symbols away, where d is a period of the pattern, is an occurrence if the next one is and
//   its own first d symbols agree; any other is compared as a whole.
// No symbol is compared for two candidates, so this takes linear time too. If a candidate is wrong, the task's word of
// `found` is set, and the host draws another base.

#if UNIT == 1
typedef u8 Symbol;
#else
typedef u32 Symbol;
#endif

constexpr u64 PRIME = (1ull << 61) - 1;
constexpr u32 RUN = 32;              // symbols of a thread
constexpr u32 TILE = 256;            // threads, and runs, of a tile

struct Verify { const Symbol* text; const Symbol* pattern; const u32* list; u8* agrees; u64 m; };
// powers: base^(32·i), i < TILE; then base^(32·TILE·2^i), i < 10
struct Sums { const Symbol* text; const u64* powers; u64* inner; u64* tops; u64 symbols; u64 base; u32 tiles; };
struct Windows { const Symbol* text; const u64* powers; const u64* inner; const u64* tops; u32* bits; u32* counts;
                 u64 m; u64 base; u64 power; u64 wanted; u32 offsets; };
struct Chain { const Symbol* text; const Symbol* pattern; const u32* periods; const u32* bits; u32* found; u64 m; u32 words; };

extern "C" __global__ void __launch_bounds__(256) verify(const Verify job) {
  const Symbol* text = job.text + job.list[blockIdx.x];
  bool unequal = false;
  for (u64 from = 0; from < job.m; from += 8 * 256) {
    #pragma unroll
    for (int i = 0; i < 8; i++) {
      const u64 at = from + i * 256 + threadIdx.x;
      if (at < job.m) unequal |= text[at] != job.pattern[at];
    }
    if (__syncthreads_or(unequal)) break;
  }
  unequal = __syncthreads_or(unequal);
  if (!threadIdx.x) job.agrees[blockIdx.x] = !unequal;
}

__device__ __forceinline__ u64 fold(u64 x) { return x >= PRIME ? x - PRIME : x; }
__device__ __forceinline__ u64 plus_mod(u64 a, u64 b) { return fold(a + b); }
__device__ __forceinline__ u64 times(u64 a, u64 b) {
  const u64 low = a * b, high = __umul64hi(a, b);
  return fold((low & PRIME) + (low >> 61 | high << 3));
}

// 32 symbols from any position on. The text is followed by memory that was set to 0.
struct Symbols {
  u32 w[8 * UNIT];
  __device__ __forceinline__ void load(const Symbol* from) {
    const u64 address = (u64)from;
    const u32* words = (const u32*)(address & ~3ull);
    const u32 shift = 8 * (address & 3);
    #pragma unroll
    for (int i = 0; i < 8 * UNIT; i++) w[i] = UNIT == 1 ? __funnelshift_r(words[i], words[i + 1], shift) : words[i];
  }
  __device__ __forceinline__ u64 value(int i) const { return 1 + (u64)(UNIT == 1 ? w[i / 4] >> 8 * (i % 4) & 255 : w[i]); }
};

// Computes the sums over the runs of the tile before each run, and the sum of the whole tile.
extern "C" __global__ void __launch_bounds__(TILE) tiles(const Sums job) {
  __shared__ u64 upto[TILE];
  const u64 run = (u64)blockIdx.x * TILE + threadIdx.x, at = run * RUN;
  u64 sum = 0;
  if (at < job.symbols) {
    Symbols s;
    s.load(job.text + at);
    #pragma unroll
    for (int i = 0; i < RUN; i++) sum = plus_mod(times(sum, job.base), at + i < job.symbols ? s.value(i) : 0);
  }
  upto[threadIdx.x] = sum;
  __syncthreads();
  for (u32 d = 1; d < TILE; d <<= 1) {
    const u64 before = threadIdx.x >= d ? upto[threadIdx.x - d] : 0;
    __syncthreads();
    sum = plus_mod(times(before, job.powers[d]), sum);
    upto[threadIdx.x] = sum;
    __syncthreads();
  }
  job.inner[run] = threadIdx.x ? upto[threadIdx.x - 1] : 0;
  if (threadIdx.x == TILE - 1) job.tops[blockIdx.x] = sum;
}

// Computes the sums over all tiles before each tile, in place, by one block.
extern "C" __global__ void __launch_bounds__(1024) tops(const Sums job) {
  __shared__ u64 upto[1024];
  u64 carry = 0; // sum of all tiles before these 1024
  for (u32 from = 0; from < job.tiles; from += 1024) {
    const u32 tile = from + threadIdx.x;
    u64 sum = tile < job.tiles ? job.tops[tile] : 0;
    if (!threadIdx.x) sum = plus_mod(times(carry, job.powers[TILE]), sum);
    upto[threadIdx.x] = sum;
    __syncthreads();
    for (u32 i = 0; i < 10; i++) {
      const u32 d = 1u << i;
      const u64 before = threadIdx.x >= d ? upto[threadIdx.x - d] : 0;
      __syncthreads();
      sum = plus_mod(times(before, job.powers[TILE + i]), sum);
      upto[threadIdx.x] = sum;
      __syncthreads();
    }
    if (tile < job.tiles) job.tops[tile] = threadIdx.x ? upto[threadIdx.x - 1] : carry;
    carry = upto[1023];
    __syncthreads();
  }
}

__device__ __forceinline__ u64 sum_to(const Windows& job, u64 run) {
  return plus_mod(times(job.tops[run / TILE], job.powers[run % TILE]), job.inner[run]);
}

extern "C" __global__ void __launch_bounds__(256) windows(const Windows job) {
  const u64 run = (u64)blockIdx.x * 256 + threadIdx.x, at = run * RUN;
  u32 bits = 0;
  if (at < job.offsets) {
    u64 ahead = sum_to(job, run + job.m / RUN);
    const u32 rest = job.m % RUN;
    Symbols s;
    s.load(job.text + (run + job.m / RUN) * RUN);
    #pragma unroll
    for (int i = 0; i < RUN; i++) if (i < rest) ahead = plus_mod(times(ahead, job.base), s.value(i));
    u64 window = plus_mod(ahead, PRIME - times(sum_to(job, run), job.power));
    Symbols gone;
    gone.load(job.text + at);
    s.load(job.text + at + job.m);
    #pragma unroll
    for (int i = 0; i < RUN; i++) {
      bits |= (u32)(window == job.wanted) << i;
      window = plus_mod(times(window, job.base), plus_mod(s.value(i), PRIME - times(gone.value(i), job.power)));
    }
    if (job.offsets - at < 32) bits &= (1u << (job.offsets - at)) - 1;
    job.bits[run] = bits;
  }
  const i32 count = warp_sum(__popc(bits));
  if (!(threadIdx.x & 31) && count) atomicAdd(job.counts + run / BLOCK, count);
}

__device__ __forceinline__ bool is_period(const Chain& job, u64 d) { return job.periods[d / 32] >> (d % 32) & 1; }

extern "C" __global__ void __launch_bounds__(256) chain(const Chain job) {
  const u32 lane = threadIdx.x & 31, word = blockIdx.x * 256 + threadIdx.x;
  u32 bits = word < job.words ? job.bits[word] : 0;
  u32 next = __shfl_down_sync(EVERY, bits, 1);
  if (lane == 31) next = word + 1 < job.words ? job.bits[word + 1] : 0;
  bool wrong = false, alone = false;
  u64 at = 0;
  for (; bits; ) {
    const u32 bit = __ffs(bits) - 1;
    bits &= bits - 1;
    at = (u64)word * 32 + bit;
    if (!bits && !next) { alone = true; break; }
    const u64 d = (bits ? __ffs(bits) - 1 : 31 + __ffs(next)) - bit;
    if (d < job.m) wrong |= !is_period(job, d);
    for (u64 i = 0; i < d && i < job.m; i++) wrong |= job.text[at + i] != job.pattern[i];
  }
  // The next candidate is farther away: all lanes search for it and compare.
  for (u32 left = __ballot_sync(EVERY, alone); left; left &= left - 1) {
    const u32 source = __ffs(left) - 1;
    const u64 from = __shfl_sync(EVERY, at, source);
    u64 d = job.m;
    for (u64 w = from / 32 + 2; w < job.words && w * 32 < from + job.m; w += 32) {
      const u32 here = w + lane < job.words ? job.bits[w + lane] : 0, some = __ballot_sync(EVERY, here);
      if (!some) continue;
      const u32 first = __ffs(some) - 1;
      const u64 found = (w + first) * 32 + __ffs(__shfl_sync(EVERY, here, first)) - 1 - from;
      if (found < d) { d = found; if (!lane) wrong |= !is_period(job, d); }
      break;
    }
    for (u64 i = lane; i < d; i += 32) wrong |= job.text[from + i] != job.pattern[i];
  }
  if (__any_sync(EVERY, wrong) && !lane) job.found[1] = 1;
}
