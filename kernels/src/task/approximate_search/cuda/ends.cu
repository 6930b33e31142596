// Codes of the text as bit planes, and selection of the ends that count. Compiled for UNIT bytes of a symbol, 1 or 4,
// and PLANES bits of a code.

constexpr int P = PLANES;

struct Pack { const void* text; const unsigned short* codes; u32* planes; u32 symbols; u32 words; };
// within: the maximum distance of an end that counts, or a negative number for the minimum distance. turns: whether the
// last change before the part was an increase, followed by the result for this part.
struct Ends {
  const uint2* last; const i32* values; const u32* found; u32* bits; u32* counts; u32* turns;
  i32 words; i32 columns; i32 skip; i32 ends; i32 m; i32 within; u32 minima; u32 whole;
};

// Packs 32 symbols for each thread, the first one in the highest bit.
extern "C" __global__ void __launch_bounds__(256) pack(const __grid_constant__ Pack job) {
#if UNIT == 1
  __shared__ unsigned short codes[256];
  codes[threadIdx.x] = job.codes[threadIdx.x];
  __syncthreads();
#else
  const unsigned short* codes = job.codes;
#endif
  const u32 w = blockIdx.x * 256 + threadIdx.x;
  if (w >= job.words) return;
  u32 planes[P] = {};
  #pragma unroll
  for (int i = 0; i < 2 * UNIT; i++) {
    // The text is followed by zeros; only whole vectors of them are read.
    const u32 at = w * 32 + i * 16 / UNIT;
    const uint4 v = at < job.symbols ? __ldg((const uint4*)job.text + (size_t)w * 2 * UNIT + i) : make_uint4(0, 0, 0, 0);
    const u32 x[4] = {v.x, v.y, v.z, v.w};
    #pragma unroll
    for (int s = 0; s < 16 / UNIT; s++) {
      const u32 code = codes[UNIT == 1 ? x[s / 4] >> 8 * (s % 4) & 255 : x[s % 4]];
      #pragma unroll
      for (int p = 0; p < P; p++) planes[p] |= (code >> p & 1) << (31 - i * 16 / UNIT - s);
    }
  }
  #pragma unroll
  for (int p = 0; p < P; p++) job.planes[(size_t)w * P + p] = planes[p];
}

constexpr u32 FELL = 1, ROSE = 2; // the last change among some columns, 0 if there is none

// Returns the last change before each word of the block; `all` receives the last change in the block. All 1024 threads
// call it.
__device__ __forceinline__ u32 last_turn(u32 own, u32& all) {
  __shared__ u32 warps[32];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  u32 upto = own;
  for (int d = 1; d < 32; d <<= 1) { const u32 below = __shfl_up_sync(EVERY, upto, d); if (lane >= d && !upto) upto = below; }
  u32 before = __shfl_up_sync(EVERY, upto, 1);
  if (!lane) before = 0;
  if (lane == 31) warps[warp] = upto;
  __syncthreads();
  u32 whole = warps[lane];
  for (int d = 1; d < 32; d <<= 1) { const u32 below = __shfl_up_sync(EVERY, whole, d); if (lane >= d && !whole) whole = below; }
  all = __shfl_sync(EVERY, whole, 31);
  const u32 above = __shfl_sync(EVERY, whole, warp ? warp - 1 : 0);
  if (!before && warp) before = above;
  __syncthreads();
  return before;
}

struct Changes { u32 rises; u32 falls; };

// Returns the changes of word w, with the first column lowest. Columns that do not exist have none.
__device__ __forceinline__ Changes changes(const Ends& job, i32 w) {
  if (w < job.skip || w >= job.words) return {0, 0};
  const uint2 h = job.last[w];
  const i32 left = job.columns - w * 32;
  const u32 mask = left >= 32 ? EVERY : (1u << left) - 1;
  return {__brev(h.x) & mask, __brev(h.y) & mask};
}

__device__ __forceinline__ u32 turn(Changes c) {
  const u32 any = c.rises | c.falls;
  return !any ? 0 : c.falls >> (31 - __clz(any)) & 1 ? FELL : ROSE;
}

// Sets a bit for every end of the part that counts. End 32·w + c lies before column c of word w.
extern "C" __global__ void __launch_bounds__(1024) ends(const __grid_constant__ Ends job) {
  const i32 word = blockIdx.x * 1024 + threadIdx.x, w = job.skip + word;
  const i32 within = job.within < 0 ? job.m - (i32)job.found[1] : job.within;
  const i32 here = min(32, job.ends - word * 32); // number of ends in this word
  const Changes c = changes(job, w);
  u32 bits = 0;
  if (here > 0) {
    i32 value = job.values[w];
    if (value - __popc(c.falls) <= within)
      for (i32 i = 0; i < here; i++) {
        bits |= (u32)(value <= within) << i;
        value += (i32)(c.rises >> i & 1) - (i32)(c.falls >> i & 1);
      }
  }
  if (job.minima) {
    u32 all, before = last_turn(turn(c), all);
    // Searches the previous blocks, the nearest first, until a change is found.
    u32 earlier = 0;
    for (i32 b = (i32)blockIdx.x - 1; b >= 0 && !earlier; b--) last_turn(turn(changes(job, job.skip + b * 1024 + (i32)threadIdx.x)), earlier);
    if (!earlier) earlier = job.turns[0];
    if (!before) before = earlier;
    if (blockIdx.x == gridDim.x - 1 && !threadIdx.x) job.turns[1] = all ? all : earlier;
    for (u32 left = bits; left; left &= left - 1) {
      const u32 i = __ffs(left) - 1, below = (1u << i) - 1;
      const u32 came = turn({c.rises & below, c.falls & below});
      const bool leaves = c.rises >> i & 1 || (job.whole && word * 32 + (i32)i == job.ends - 1);
      if ((came ? came : before) == ROSE || !leaves) bits &= ~(1u << i);
    }
  }
  if (here > 0) job.bits[word] = bits;
  const i32 count = warp_sum(__popc(bits));
  if (!(threadIdx.x & 31) && count) atomicAdd(job.counts + blockIdx.x, count);
}

// The last row of a long pattern, as the bands have left it. It consists of slices of `lead` words and `own` words of
// their own; the first slice owns all words from `skip` on. A slice begins `own` words after the previous one, and its
// row `apart` words after. Values at the left edge of a slice are m.
struct Rows {
  const u64* borders; uint2* last; i32* values; u32* found; u64 apart;
  i32 words; i32 columns; i32 m; i32 begin; i32 lead; i32 own; i32 skip; i32 spare;
};

// Converts slices to one row, with the value before each word and the minimum. A block processes each slice.
extern "C" __global__ void __launch_bounds__(1024) row(const __grid_constant__ Rows job) {
  const i32 start = job.begin + (i32)blockIdx.x * job.own, end = min(start + job.lead + job.own, job.words);
  const i32 first = blockIdx.x ? start + job.lead : job.skip;
  const u64* border = job.borders + blockIdx.x * job.apart;
  i32 before = job.m, least = job.m;
  for (i32 tile = start; tile < end; tile += 1024) {
    const i32 w = tile + (i32)threadIdx.x;
    const u64 h = w < end ? border[w - start] : 0;
    const u32 p = (u32)h, n = (u32)(h >> 32);
    i32 grown, value = before + sum_before(__popc(p) - __popc(n), grown);
    before += grown;
    if (w < first || w >= end) continue;
    job.last[w] = make_uint2(p, n); job.values[w] = value;
    if (w + 1 == job.words) job.values[w + 1] = value + __popc(p) - __popc(n);
    least = min(least, value);
    if (value - __popc(n) < least)
      for (i32 i = 0; i < min(32, job.columns - w * 32); i++) {
        value += (i32)(p << i >> 31) - (i32)(n << i >> 31);
        least = min(least, value);
      }
  }
  for (int d = 16; d; d >>= 1) least = min(least, __shfl_xor_sync(EVERY, least, d));
  if (!(threadIdx.x & 31)) atomicMax(job.found + 1, job.m - least);
}
