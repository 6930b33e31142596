// Exact search: finds in one pass every offset of a text with the first symbols of a pattern, at most HEAD of them.
//
// A thread tests the 16 offsets of each of its PIECES of 16 bytes. The first four symbols (fewer for a shorter pattern)
// are compared at an offset by a funnel shift, an exclusive or and a minimum; the others are compared only if that is
// zero. Pieces of a thread are 512 bytes apart, so that a warp reads whole lines. The symbols after a piece come from
// the next lane.
//
// The grid has as many blocks as the device holds at a time. They iterate over the text, and load a thread's next
// pieces before they test the current ones.
//
// Results are a list in any order, which the host sorts: a warp with results takes its place by an atomic addition. If
// the list is full, the pass stops, and another pass creates a bit set with counts.

constexpr u32 PIECES = 2, WARP_BYTES = 512 * PIECES, BLOCK_BYTES = THREADS / 32 * WARP_BYTES;

struct Find {
  const u8* text; u32* found; u32* bits; u32* counts;
  u32 symbols; u32 offsets; u32 m; u32 mask; u32 room; u32 head[HEAD / 4];
};
struct Narrow { const u32* symbols; const u8* codes; u8* text; u32 length; };

// Compares symbols number 4 and up of the head, four at a time.
__device__ __forceinline__ bool agree(const Find& job, u32 at) {
  const u32* t = (const u32*)(job.text + (at & ~3u));
  const u32 shift = 8 * (at & 3);
  for (u32 k = 1; 4 * k < job.m; k++) {
    const u32 left = job.m - 4 * k, mask = left < 4 ? (1u << 8 * left) - 1 : EVERY;
    if ((__funnelshift_r(t[k], t[k + 1], shift) ^ job.head[k]) & mask) return false;
  }
  return true;
}

// Appends the offsets `start + 512·i + b` of all ones b of `hits[i]` to the list. Returns false if the list has no
// space for all of the warp.
__device__ __forceinline__ bool append(const Find& job, const u32 (&hits)[PIECES], u32 start) {
  i32 mine = 0;
  #pragma unroll
  for (int i = 0; i < PIECES; i++) mine += __popc(hits[i]);
  i32 upto = mine;
  for (int d = 1; d < 32; d <<= 1) { const i32 below = __shfl_up_sync(EVERY, upto, d); if ((threadIdx.x & 31) >= d) upto += below; }
  const u32 all = __shfl_sync(EVERY, upto, 31);
  u32 at = threadIdx.x & 31 ? 0 : atomicAdd(job.found, all);
  at = __shfl_sync(EVERY, at, 0);
  if (at + all > job.room) return false;
  at += upto - mine;
  #pragma unroll
  for (int i = 0; i < PIECES; i++)
    for (u32 left = hits[i]; left; left &= left - 1) job.found[LIST + at++] = start + 512 * i + __ffs(left) - 1;
  return true;
}

__device__ __forceinline__ void mark(const Find& job, const u32 (&hits)[PIECES], u32 start) {
  i32 count = 0;
  #pragma unroll
  for (int i = 0; i < PIECES; i++) {
    const u32 at = start + 512 * i;
    if ((at & ~31u) < job.offsets) ((unsigned short*)job.bits)[at / 16] = hits[i]; // whole words
    count += __popc(hits[i]);
  }
  count = warp_sum(count);
  if (!(threadIdx.x & 31) && count) { atomicAdd(job.counts + start / (32 * BLOCK), count); atomicAdd(job.found, count); }
}

// A thread's pieces, and the symbols behind each.
struct Pieces {
  uint4 v[PIECES];
  u32 after; // the symbols behind the last piece of lane 31

  __device__ __forceinline__ void load(const Find& job, u32 start) {
    #pragma unroll
    for (int i = 0; i < PIECES; i++)
      v[i] = start + 512 * i < job.symbols ? __ldg((const uint4*)(job.text + start) + 32 * i) : make_uint4(0, 0, 0, 0);
    const u32 end = start + WARP_BYTES - 512 + 16;
    after = (threadIdx.x & 31) == 31 && end < job.symbols ? __ldg((const u32*)(job.text + end)) : 0;
  }

  __device__ __forceinline__ void words(u32 (&w)[PIECES][5]) const {
    const u32 lane = threadIdx.x & 31;
    #pragma unroll
    for (int i = 0; i < PIECES; i++) {
      const u32 wrapped = i + 1 < PIECES ? v[i + 1].x : 0;
      const u32 next = __shfl_sync(EVERY, lane ? v[i].x : wrapped, lane + 1);
      w[i][0] = v[i].x; w[i][1] = v[i].y; w[i][2] = v[i].z; w[i][3] = v[i].w;
      w[i][4] = i + 1 == PIECES && lane == 31 ? after : next;
    }
  }
};

__device__ __forceinline__ u32 unequal(const Find& job, const u32 (&w)[5], int s) {
  return (__funnelshift_r(w[s / 4], w[s / 4 + 1], 8 * (s % 4)) ^ job.head[0]) & job.mask;
}

extern "C" __global__ void __launch_bounds__(THREADS) find(const __grid_constant__ Find job) {
  const u32 step = gridDim.x * BLOCK_BYTES;
  u32 warp = blockIdx.x * BLOCK_BYTES + (threadIdx.x >> 5) * WARP_BYTES, start = warp + (threadIdx.x & 31) * 16;
  Pieces now, next;
  next.load(job, start);
  #pragma unroll 1
  for (; warp < job.offsets; warp += step, start += step) {
    now = next;
    next.load(job, start + step);
    u32 w[PIECES][5], hits[PIECES] = {}, least = EVERY, any = 0;
    now.words(w);
    #pragma unroll
    for (int i = 0; i < PIECES; i++)
    #pragma unroll
    for (int s = 0; s < 16; s++) least = min(least, unequal(job, w[i], s));
    if (!least) {
      #pragma unroll
      for (int i = 0; i < PIECES; i++) {
        const u32 at = start + 512 * i;
        #pragma unroll
        for (int s = 0; s < 16; s++) if (!unequal(job, w[i], s)) hits[i] |= 1u << s;
        if (at + 16 > job.offsets) hits[i] &= at < job.offsets ? (1u << (job.offsets - at)) - 1 : 0;
        if (job.m > 4)
          for (u32 left = hits[i]; left; left &= left - 1)
            if (!agree(job, at + __ffs(left) - 1)) hits[i] &= ~(left & -left);
        any |= hits[i];
      }
    }
    if (job.bits) mark(job, hits, start);
    else if (__any_sync(EVERY, any) && !append(job, hits, start)) return;
  }
}

// Converts symbols that are wider than a byte to their codes relative to the head.
extern "C" __global__ void narrow(const __grid_constant__ Narrow job) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < job.length) job.text[i] = job.codes[job.symbols[i]];
}
