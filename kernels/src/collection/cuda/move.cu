// Moves the score of row i and column j, at j · rows + i, to row_ids[i] · row_step + column_ids[j] · column_step. A block
// moves a square of SQUARE · SQUARE scores through shared memory, so that it reads and writes neighbours together.

typedef unsigned short u16;

struct Move { const void* scores; void* moved; const u32* row_ids; const u32* column_ids; u64 row_step; u64 column_step; u32 rows; u32 columns; u32 width; u32 by_row; };

template<typename T> __device__ __forceinline__ void move_square(const Move& job) {
  __shared__ T square[SQUARE][SQUARE + 1];
  const u32 x = threadIdx.x % SQUARE, y = threadIdx.x / SQUARE, squares = (job.rows + SQUARE - 1) / SQUARE;
  const u32 i0 = blockIdx.x % squares * SQUARE, j0 = blockIdx.x / squares * SQUARE;
  for (u32 k = y; k < SQUARE; k += 8)
    if (i0 + x < job.rows && j0 + k < job.columns) square[k][x] = ((const T*)job.scores)[(size_t)(j0 + k) * job.rows + i0 + x];
  __syncthreads();
  for (u32 k = y; k < SQUARE; k += 8) {
    const u32 i = job.by_row ? k : x, j = job.by_row ? x : k;
    if (i0 + i < job.rows && j0 + j < job.columns) ((T*)job.moved)[job.row_ids[i0 + i] * job.row_step + job.column_ids[j0 + j] * job.column_step] = square[j][i];
  }
}

extern "C" __global__ void __launch_bounds__(SQUARE * 8) move_scores(const __grid_constant__ Move job) {
  if (job.width == 1) move_square<u8>(job);
  else if (job.width == 2) move_square<u16>(job);
  else move_square<u32>(job);
}
