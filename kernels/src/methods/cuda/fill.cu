// The matrix of papers 000 and 003, for the edit distance (RAMP: c[0][j] = j) and approximate search (c[0][j] = 0).
//
// `rows` is "Algorithm ASM", section 4, on one thread. `slices` is "Parallel ASM algorithm on the HMM", section 6: a
// block of m threads for each slice of the text, where thread t has row i = t + 1. Three rows e of m + 1 words, X and
// the current part of Y_i are in shared memory; the value of column j and row i is e[j mod 3][i]. Rows are padded to a
// multiple of 32 words, so that the threads of a warp access different banks. With one slice, this is the "Improved
// parallel ASM algorithm" of section 5.
//
// Departures: a slice of the papers' sizes is larger than shared memory. So Y_i is copied in pieces of SEGMENT symbols
// to a ring that holds the last m symbols. If X has more symbols than there are threads, thread t has rows t + 1, t + 1
// + p, ..., as in lemma 2 for p < m.

constexpr u32 CELLS = 1 << 14; // cells of one thread between two reports
constexpr u32 STEPS = 1 << 12; // steps of a block between two reports
constexpr u32 EMPTY = EVERY;

struct Rows { const Symbol* x; const Symbol* y; u32* row; Watch watch; u32 m; u32 n; };
struct Slices { const Symbol* x; const Symbol* y; u32* ends; u32* minima; Watch watch; u32 m; u32 n; u32 own; u32 ring; };
struct Minimum { u32* minima; u32 blocks; u32 pad; };

extern "C" __global__ void rows(const __grid_constant__ Rows job) {
  u32 cells = 0;
  for (u32 j = 0; j <= job.n; j++) job.row[j] = RAMP ? j : 0;
  for (u32 i = 1; i <= job.m; i++) {
    const Symbol x = job.x[i - 1];
    u32 before = job.row[0], left = i;
    job.row[0] = i;
    for (u32 j = 1; j <= job.n; j++) {
      const u32 above = job.row[j];
      left = min(min(left, above) + 1, before + (x != job.y[j - 1]));
      before = above;
      job.row[j] = left;
      if (++cells == CELLS) {
        if (stops(job.watch, cells)) return;
        cells = 0;
      }
    }
  }
  stops(job.watch, cells);
}

extern "C" __global__ void __launch_bounds__(THREADS) slices(const __grid_constant__ Slices job) {
  extern __shared__ u32 shared[];
  __shared__ bool stop;
  const u32 m = job.m, row = (m + 32) & ~31u, p = blockDim.x, t = threadIdx.x, from = blockIdx.x * job.own;
  const u32 n = min(job.own + 2 * m, job.n - from), last = n + m - 1, around = job.ring - 1;
  u32* const e = shared;
  Symbol* const x = (Symbol*)(e + 3 * row);
  Symbol* const y = x + ((m + 31) & ~31u);

  // Step 1, and the initialization of the pseudo-code.
  for (u32 i = t; i < m; i += p) x[i] = job.x[i];
  if (!t) {
    e[0] = e[row] = e[2 * row] = 0;
    e[1] = 1;
    if (RAMP) e[row] = 1;
    stop = false;
  }
  u32 least = m, told = 0;
  for (u32 k = 1; k <= last; k++) {
    if (((k - 1) & (SEGMENT - 1)) == 0 && k <= n) {
      for (u32 j = k - 1 + t; j < min(k - 1 + SEGMENT, n); j += p) y[j & around] = job.y[from + j];
      __syncthreads();
    }
    // Step 2: one diagonal.
    if (RAMP && !t) e[(k + 1) % 3 * row] = k + 1;
    for (u32 i = t + 1; i <= min(m, k + 1); i += p) {
      const u32 j = k + 1 - i;
      if (!j) { e[i] = i; continue; }
      if (j > n) continue;
      const u32 here = j % 3 * row, behind = (j - 1) % 3 * row;
      const u32 replaced = e[behind + i - 1] + (x[i - 1] != y[(j - 1) & around]);
      const u32 value = min(min(e[behind + i], e[here + i - 1]) + 1, replaced);
      e[here + i] = value;
      if (i == m) {
        least = RAMP ? value : min(least, value);
        if (job.ends) atomicMin(job.ends + from + j, value);
      }
    }
    if (k % STEPS == 0 && !t) {
      stop = stops(job.watch, k - told);
      told = k;
    }
    __syncthreads();
    if (k % STEPS == 0 && stop) return;
  }
  if (!t) stops(job.watch, last - told);
  // Step 3, executed by the thread with the last row.
  if (t == (m - 1) % p) job.minima[blockIdx.x] = least;
}

// Step 4: stores the minimum of all minima in the first element.
extern "C" __global__ void __launch_bounds__(THREADS) minimum(const __grid_constant__ Minimum job) {
  u32 value = EMPTY;
  for (u32 at = threadIdx.x; at < job.blocks; at += THREADS) value = min(value, job.minima[at]);
  const u64 smallest = least(value);
  if (!threadIdx.x) job.minima[0] = (u32)smallest;
}
