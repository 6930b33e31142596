// Definitions that all kernels use: words that several multiprocessors share, arithmetic for one of the two integer
// pipes, and sums over a block. NVRTC has no standard headers, so the fixed-width types are defined here.
typedef unsigned char u8;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

constexpr u32 EVERY = 0xffffffffu; // all lanes of a warp; all bits of a word

// Accesses to words that another multiprocessor may access at the same time. Relaxed order suffices for words that
// carry their own "ready" mark, because nothing else must become visible together with them.
__device__ __forceinline__ u32 peek(const u32* p) { u32 v; asm volatile("ld.relaxed.gpu.u32 %0,[%1];" : "=r"(v) : "l"(p)); return v; }
__device__ __forceinline__ u64 peek(const u64* p) { u64 v; asm volatile("ld.relaxed.gpu.u64 %0,[%1];" : "=l"(v) : "l"(p)); return v; }
__device__ __forceinline__ void post(u64* p, u64 v) { asm volatile("st.relaxed.gpu.u64 [%0],%1;" :: "l"(p), "l"(v)); }

// a·f + b, a + b and a − b on the multiplier's pipe, which is idle during logic operations. A literal factor takes one
// register read less than a factor in a register, but the assembler still chooses that pipe if the other one is busy.
__device__ __forceinline__ u32 mad(u32 a, u32 f, u32 b) { u32 d; asm("mad.lo.u32 %0,%1,%2,%3;" : "=r"(d) : "r"(a), "r"(f), "r"(b)); return d; }
__device__ __forceinline__ u32 plus(u32 a, u32 b) { u32 d; asm("mad.lo.u32 %0,%1,1,%2;" : "=r"(d) : "r"(a), "r"(b)); return d; }
__device__ __forceinline__ u32 minus(u32 a, u32 b) { u32 d; asm("mad.lo.u32 %0,%1,-1,%2;" : "=r"(d) : "r"(b), "r"(a)); return d; }

// A function of three words, bit by bit: bit 4a + 2b + c of TABLE is its value for bits a, b, c. Use it where the
// compiler would share a part of two such functions and so create three of them.
template<u32 TABLE> __device__ __forceinline__ u32 logic(u32 a, u32 b, u32 c) { u32 d; asm("lop3.b32 %0,%1,%2,%3,%4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(TABLE)); return d; }

// Returns the sum of `value` over the warp, in every lane.
__device__ __forceinline__ i32 warp_sum(i32 value) {
  for (int d = 16; d; d >>= 1) value += __shfl_xor_sync(EVERY, value, d);
  return value;
}

// Returns the sum of `value` over the threads before this one; `total` receives the sum over the whole block. Every
// thread of the block (whole warps, at most 32) must call it.
__device__ __forceinline__ i32 sum_before(i32 value, i32& total) {
  __shared__ i32 warps[32];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  i32 upto = value;
  for (int d = 1; d < 32; d <<= 1) { const i32 below = __shfl_up_sync(EVERY, upto, d); if (lane >= d) upto += below; }
  if (lane == 31) warps[warp] = upto;
  __syncthreads();
  const i32 other = lane < blockDim.x >> 5 ? warps[lane] : 0;
  total = warp_sum(other);
  const i32 before = warp_sum(lane < warp ? other : 0);
  __syncthreads();
  return before + upto - value;
}

// Returns the smallest `value` of the block, in every thread.
__device__ __forceinline__ u64 least(u64 value) {
  __shared__ u64 warps[32];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int d = 16; d; d >>= 1) { const u64 other = __shfl_xor_sync(EVERY, value, d); if (other < value) value = other; }
  if (!lane) warps[warp] = value;
  __syncthreads();
  value = lane < blockDim.x >> 5 ? warps[lane] : ~0ull;
  for (int d = 16; d; d >>= 1) { const u64 other = __shfl_xor_sync(EVERY, value, d); if (other < value) value = other; }
  __syncthreads();
  return value;
}
