// Measures a device as a memory machine, by chains of words that each hold the index of the next one. A thread cannot
// request a word before it has the previous one, as in the papers' model.

constexpr u32 SHARED = 4096; // words of shared memory: 16 KB

struct Chain { u32* memory; u64* cycles; u32* last; u32 length; u32 rounds; u32 stride; u32 pad; };

// Creates the chain: the successor of word i is `stride` words further on, modulo the length.
extern "C" __global__ void __launch_bounds__(1024) chain(const __grid_constant__ Chain job) {
  for (u64 i = blockIdx.x * 1024ull + threadIdx.x; i < job.length; i += gridDim.x * 1024ull) job.memory[i] = (u32)((i + job.stride) % job.length);
}

// Every thread follows its own chain through global memory and bypasses the first-level cache. Adjacent threads follow
// adjacent words. Returns the cycles of the first thread.
extern "C" __global__ void __launch_bounds__(1024) follow(const __grid_constant__ Chain job) {
  u32 at = blockIdx.x * blockDim.x + threadIdx.x;
  const bool first = !at;
  const i64 start = clock64();
  #pragma unroll 8
  for (u32 round = 0; round < job.rounds; round++) at = __ldcg(job.memory + at);
  const i64 end = clock64();
  if (first) job.cycles[0] = end - start;
  if (at == EVERY) job.last[0] = at; // never true, but keeps the compiler from removing the loads
}

// Threads of one block follow chains through shared memory. The words of adjacent threads are `stride` apart. Returns
// the cycles of the whole block.
extern "C" __global__ void __launch_bounds__(1024) follow_shared(const __grid_constant__ Chain job) {
  __shared__ u32 words[SHARED];
  for (u32 i = threadIdx.x; i < SHARED; i += blockDim.x) words[i] = (i + 32) % SHARED;
  u32 at = threadIdx.x * job.stride % SHARED;
  __syncthreads();
  const i64 start = clock64();
  #pragma unroll 8
  for (u32 round = 0; round < job.rounds; round++) at = words[at];
  __syncthreads();
  if (!threadIdx.x) job.cycles[0] = clock64() - start;
  if (at == EVERY) job.last[0] = at;
}
