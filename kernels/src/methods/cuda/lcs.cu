// The longest common subsequence as in paper 001. Each kernel computes the last column of the table of A and B, which
// are read forwards or, as by `llcs'` of section 3.1, backwards.
//
// `cells` is Listing 1 and `words` Listing 3 with words of 32 bits, on one thread. `blocks` is `llcs_kernel` of Listing
// 4: a block of 32 threads has 1,024 bits of V and processes 1,024 columns in a call. `masks` creates the PMV. The
// addition is `plus` of Listing 5, by conditional sums. As in the paper, carries of the threads are in shared memory,
// and so are carries from and to the neighbouring blocks.
//
// Departures: threads of a warp are not in lockstep on current devices, so each step of the addition ends with a
// __syncwarp(). Blocks are numbered from the lowest one. Errors of the listings that methods/lcs names are corrected.

constexpr u32 CELLS = 1 << 14; // cells or words of one thread between two reports

struct Text { const Symbol* symbols; u32 length; u32 reversed; };
struct Cells { Text a; Text b; u32* rows; Watch watch; };
struct Masks { Text a; u32* masks; u32 words; u32 pad; };
struct Words { Text b; const u32* masks; u32* v; Watch watch; u32 words; u32 pad; };
struct Blocks { Text b; const u32* masks; u32* v; const u32* below; u32* above; u32 words; u32 call; };

__device__ __forceinline__ Symbol at(const Text& text, u32 i) { return __ldg(text.symbols + (text.reversed ? text.length - 1 - i : i)); }

// Two rows of |b| + 1 values. The second row is the result if |a| is odd, otherwise the first. The first row and both
// first values begin as zeros.
extern "C" __global__ void cells(const __grid_constant__ Cells job) {
  const u32 n = job.b.length;
  u32 *before = job.rows, *now = job.rows + n + 1, cells = 0;
  for (u32 i = 0; i < job.a.length; i++) {
    const Symbol symbol = at(job.a, i);
    for (u32 j = 1; j <= n; j++) {
      now[j] = symbol == at(job.b, j - 1) ? before[j - 1] + 1 : max(now[j - 1], before[j]);
      if (++cells == CELLS) {
        if (stops(job.watch, cells)) return;
        cells = 0;
      }
    }
    u32* const other = before; before = now; now = other;
  }
  stops(job.watch, cells);
}

// Creates the vectors, with a thread for each word of 32 symbols.
extern "C" __global__ void __launch_bounds__(256) masks(const __grid_constant__ Masks job) {
  const u32 word = blockIdx.x * 256 + threadIdx.x;
  for (u32 bit = 0; bit < 32; bit++) {
    const u32 i = word * 32 + bit;
    if (i < job.a.length) job.masks[(size_t)at(job.a, i) * job.words + word] |= 1u << bit;
  }
}

extern "C" __global__ void words(const __grid_constant__ Words job) {
  u32 words = 0;
  for (u32 j = 0; j < job.b.length; j++) {
    const u32* const masks = job.masks + (size_t)at(job.b, j) * job.words;
    u32 carry = 0;
    for (u32 w = 0; w < job.words; w++) {
      const u32 v = job.v[w], mask = __ldg(masks + w);
      const u64 sum = (u64)v + (v & mask) + carry;
      carry = (u32)(sum >> 32);
      job.v[w] = (u32)sum | (v & ~mask);
      if (++words == CELLS) {
        if (stops(job.watch, words)) return;
        words = 0;
      }
    }
  }
  stops(job.watch, words);
}

// Computes both sums of v1 + v2 over the block, without and with a carry into the lowest word. s_c0 and s_c1 receive
// the carries out of each word and all words below.
__device__ __forceinline__ void plus(u32 v1, u32 v2, u32& a0, u32& a1, volatile bool* s_c0, volatile bool* s_c1) {
  const u32 tx = threadIdx.x, maximum = max(v1, v2);
  a0 = v1 + v2;
  a1 = a0 + 1;
  bool c0 = a0 < maximum, c1 = c0 || a1 < maximum;
  s_c0[tx] = c0;
  s_c1[tx] = c1;
  __syncwarp();
  #pragma unroll
  for (u32 group = 1; group < 32; group *= 2) {
    if (tx & group) {
      const u32 below = tx / group * group - 1;
      if (s_c0[below]) { a0 = a1; c0 = c1; s_c0[tx] = c0; }
      else if (!s_c1[below]) { a1 = a0; c1 = c0; s_c1[tx] = c1; }
    }
    __syncwarp();
  }
}

// Returns word `index` of the vector of a column's symbol.
__device__ __forceinline__ u32 of_symbol(const Blocks& job, u32 column, u32 index) {
  return __ldg(job.masks + (size_t)at(job.b, column) * job.words + index);
}

extern "C" __global__ void __launch_bounds__(32) blocks(const __grid_constant__ Blocks job) {
  __shared__ bool s_c0[32], s_c1[32];
  __shared__ u32 lower[32], upper[32];
  const u32 tx = threadIdx.x, index = blockIdx.x * 32 + tx;
  // The step of this block.
  if (job.call < blockIdx.x) return;
  const u32 count = job.call - blockIdx.x, steps = (job.b.length + 1023) / 1024;
  if (count >= steps) return;
  const u32 cursor = count * 1024, columns = min(1024u, job.b.length - cursor);
  u32 v = job.v[index];
  lower[tx] = blockIdx.x ? job.below[index - 32] : 0;
  upper[tx] = 0;
  __syncwarp();
  u32 next = of_symbol(job, cursor, index);
  for (u32 j = 0; j < columns; j++) {
    const u32 mask = next;
    // Loads the next column's word while this one is added.
    if (j + 1 < columns) next = of_symbol(job, cursor + j + 1, index);
    u32 a0, a1;
    plus(v, v & mask, a0, a1, s_c0, s_c1);
    const bool carry = lower[j / 32] >> j % 32 & 1;
    if (tx == 31 && (carry ? s_c1[31] : s_c0[31])) upper[j / 32] |= 1u << j % 32;
    v = (v & ~mask) | (carry ? a1 : a0);
  }
  __syncwarp();
  job.v[index] = v;
  job.above[index] = upper[tx];
}
