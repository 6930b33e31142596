// Selects the scores of a tile that reach a bound. The score of row i and column j is at j · rows + i of `scores`, in
// `width` bytes. Its value reaches the bound of its row or of its column:
//   kind 0: minus the score     kind 1: the score     kind 2: twice the score in units of 2^-32 of both lengths
// Writes the place of each selected score and the score to `found`, as long as there is room, and counts all of them.

typedef unsigned short u16;

struct Select { const void* scores; const i64* row_bounds; const i64* column_bounds; const u32* row_lens; const u32* column_lens; u64* found; u32* count; u32 rows; u32 columns; u32 width; u32 kind; u32 room; u32 spare; };

// Raises the bounds of texts without one (below `none`) to a value that at least `wanted` scores of the text reach, of which
// every `stride`-th one is looked at. The scores of text i with the others are at i · step + j · other_step.
struct Raise { const void* scores; i64* bounds; const u32* lens; const u32* other_lens; u64 step; u64 other_step; i64 none; u32 texts; u32 sample; u32 stride; u32 width; u32 kind; u32 wanted; };

constexpr u32 HALVINGS = 14; // of the range of values, so that bounds are exact for up to 16,384 values

template<typename T> __device__ __forceinline__ void raise_bounds(const Raise& job) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= job.texts || job.bounds[i] > job.none) return;
  const T* const scores = (const T*)job.scores + i * job.step;
  const u32 len = job.lens[i];
  auto value = [&](u32 k) -> i64 {
    const size_t j = (size_t)k * job.stride;
    const i64 score = (i32)scores[j * job.other_step];
    if (job.kind == 0) return -score;
    if (job.kind == 1) return score;
    const u32 both = len + __ldg(job.other_lens + j);
    return both ? (score << 33) / both : 1ll << 32;
  };
  i64 low = value(0), high = low;
  #pragma unroll 8
  for (u32 k = 1; k < job.sample; k++) { const i64 v = value(k); low = min(low, v); high = max(high, v); }
  for (u32 halving = 0; halving < HALVINGS && low < high; halving++) {
    const i64 middle = low + (high - low + 1) / 2;
    u32 count = 0;
    #pragma unroll 8
    for (u32 k = 0; k < job.sample; k++) count += value(k) >= middle;
    if (count >= job.wanted) low = middle; else high = middle - 1;
  }
  job.bounds[i] = low;
}

extern "C" __global__ void __launch_bounds__(THREADS) raise(const __grid_constant__ Raise job) {
  if (job.width == 1) raise_bounds<u8>(job);
  else if (job.width == 2) raise_bounds<u16>(job);
  else raise_bounds<i32>(job);
}

template<typename T> __device__ __forceinline__ void select_scores(const Select& job) {
  const u32 lane = threadIdx.x & 31;
  for (u32 j = blockIdx.x; j < job.columns; j += gridDim.x) {
    const T* const scores = (const T*)job.scores + (size_t)j * job.rows;
    const i64 column_bound = job.column_bounds[j];
    const u32 column_len = job.column_lens[j];
    for (u32 from = 0; from < job.rows; from += blockDim.x) {
      const u32 i = from + threadIdx.x;
      bool reaches = false;
      i32 score = 0;
      if (i < job.rows) {
        score = (i32)scores[i];
        i64 bound = min(__ldg(job.row_bounds + i), column_bound), value = job.kind ? score : -(i64)score;
        if (job.kind == 2) { value <<= 33; bound *= __ldg(job.row_lens + i) + column_len; }
        reaches = value >= bound;
      }
      const u32 selected = __ballot_sync(EVERY, reaches);
      if (!selected) continue;
      u32 first = 0;
      if (!lane) first = atomicAdd(job.count, __popc(selected));
      first = __shfl_sync(EVERY, first, 0) + __popc(selected & ((1u << lane) - 1));
      if (reaches && first < job.room) job.found[first] = (u64)(j * job.rows + i) << 32 | (u32)score;
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) select(const __grid_constant__ Select job) {
  if (job.width == 1) select_scores<u8>(job);
  else if (job.width == 2) select_scores<u16>(job);
  else select_scores<i32>(job);
}
