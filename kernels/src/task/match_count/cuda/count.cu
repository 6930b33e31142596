// Match count: the number of equal symbols at every offset of a text. Compiled for PLANES bits of a code and tiles of
// 32 · TILE offsets.
//
// Counters are bit-sliced: a word holds one bit of the counts of 32 offsets, which are TILE apart. So the text shifted
// by i is word w + i, and a symbol of the pattern takes one load from shared memory and one full adder (two
// operations). Shared memory holds the vectors of some of the pattern's symbols, which mark their positions. Rows of
// the pattern are sorted by their symbols, so that every vector is created only once. `parts` says which vectors are in
// shared memory together. Carries go up a tree (Harley and Seal): 64 rows change each of the low planes once at the
// end. Rows are padded to whole groups of 8 with a vector of zeros. Counts are written after a transposition of 16 × 16
// bits in registers.

constexpr int P = PLANES, S = TILE, WORDS = TILE / THREADS, COUNTERS = 12;

struct Part { u32 first_code; u32 codes; u32 first_row; u32 end_row; };
// row: words of a vector. vectors: maximum number in a part, which the zeros follow. moves: bytes added to a word's
// address in shared memory, for each row. narrow: scores have 16 bits instead of 32. add: adds to existing scores.
struct Count {
  const u32* planes; void* scores;
  u32 offsets; u32 row; u32 vectors; u32 parts; u32 narrow; u32 add;
  Part part[PARTS]; u32 moves[ROWS + 8 * PARTS]; unsigned short codes[ROWS];
};

extern __shared__ u32 vectors[];

// Full adder. The sum is in a, the carry is returned.
__device__ __forceinline__ u32 add(u32& a, u32 b, u32 c) { const u32 carry = (a & b) | (a & c) | (b & c); a ^= b ^ c; return carry; }

// Adds 2^L rows to the planes below L. Returns the carry, of weight 2^L.
template <int L> struct Tree {
  static __device__ __forceinline__ u32 run(const Count& job, u32 (&counts)[COUNTERS], const char* at, i32 row) {
    const u32 a = Tree<L - 1>::run(job, counts, at, row), b = Tree<L - 1>::run(job, counts, at, row + (1 << (L - 1)));
    return add(counts[L - 1], a, b);
  }
};
template <> struct Tree<0> {
  static __device__ __forceinline__ u32 run(const Count& job, u32 (&)[COUNTERS], const char* at, i32 row) {
    return *(const volatile u32*)(at + job.moves[row]);
  }
};

template <int L> __device__ __forceinline__ void count_rows(const Count& job, u32 (&counts)[WORDS][COUNTERS], i32 row) {
  #pragma unroll
  for (int k = 0; k < WORDS; k++) {
    u32 carry = Tree<L>::run(job, counts[k], (const char*)(vectors + threadIdx.x + k * THREADS), row);
    #pragma unroll
    for (int p = L; p < COUNTERS; p++) { const u32 both = counts[k][p] & carry; counts[k][p] ^= carry; carry = both; }
  }
}

// Creates the vectors of the part's symbols.
__device__ __forceinline__ void make_vectors(const Count& job, const Part& part) {
  const u32* here = job.planes + (size_t)blockIdx.x * P * S;
  for (u32 w = threadIdx.x; w < job.row; w += THREADS) {
    u32 x[P];
    #pragma unroll
    for (int p = 0; p < P; p++) {
      const u32* plane = here + p * S + w % S;
      x[p] = w < S ? *plane : __funnelshift_r(*plane, plane[P * S], w / S); // S offsets later is one bit later
    }
    for (u32 k = 0; k < part.codes; k++) {
      const u32 code = job.codes[part.first_code + k];
      u32 vector = EVERY;
      #pragma unroll
      for (int p = 0; p < P; p++) vector &= x[p] ^ ((code >> p & 1) - 1);
      vectors[k * job.row + w] = vector;
    }
  }
}

template <int D> __device__ __forceinline__ void swap(u32 (&x)[16], u32 mask) {
  #pragma unroll
  for (int p = 0; p < 16; p++) if (!(p & D)) {
    const u32 a = x[p], b = x[p | D];
    x[p] = (a & mask) | (b & mask) << D; x[p | D] = (a >> D & mask) | (b & ~mask);
  }
}

// Stores counts. The counts of bits b and b + 16 are the halves of x[b].
template <typename Score> __device__ __forceinline__ void store(const Count& job, const u32 (&x)[16], u32 first) {
  #pragma unroll
  for (int b = 0; b < 32; b++) {
    const u32 offset = first + b * S, count = b < 16 ? x[b] & 0xffff : x[b - 16] >> 16;
    Score* score = (Score*)job.scores + offset;
    if (offset < job.offsets) *score = count + (job.add ? *score : 0);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) count(const __grid_constant__ Count job) {
  u32 counts[WORDS][COUNTERS] = {};
  for (u32 w = threadIdx.x; w < S; w += THREADS) vectors[job.vectors * job.row + w] = 0;
  #pragma unroll 1
  for (u32 i = 0; i < job.parts; i++) {
    const Part part = job.part[i];
    if (i) __syncthreads();
    make_vectors(job, part);
    __syncthreads();
    i32 row = part.first_row;
    #pragma unroll 1
    for (; row + 64 <= (i32)part.end_row; row += 64) count_rows<6>(job, counts, row);
    #pragma unroll 1
    for (; row < (i32)part.end_row; row += 8) count_rows<3>(job, counts, row);
  }
  #pragma unroll
  for (int k = 0; k < WORDS; k++) {
    u32 x[16]; // planes by bits; then word j holds the counts of bits j and j + 16
    #pragma unroll
    for (int p = 0; p < 16; p++) x[p] = p < COUNTERS ? counts[k][p] : 0;
    swap<8>(x, 0x00ff00ffu); swap<4>(x, 0x0f0f0f0fu); swap<2>(x, 0x33333333u); swap<1>(x, 0x55555555u);
    const u32 first = blockIdx.x * 32 * S + threadIdx.x + k * THREADS;
    if (job.narrow) store<unsigned short>(job, x, first); else store<u32>(job, x, first);
  }
}
