// Values of cells less the value of a cell nearby, for sums of costs and for sequence alignment with points from a table.
// With the points of a pair of symbols and the cost `open` of opening a gap, all raised as in differences.cu, and values
// raised by `open` for each row and each column besides:
//
//   H[i, j] = max(H[i−1, j−1] + points, E[i, j], F[i, j])
//   E[i+1, j] = max(E[i, j] + open, H[i, j])
//   F[i, j+1] = max(F[i, j] + open, H[i, j])
//
// If gaps have no opening cost, E[i+1, j] = F[i, j+1] = H[i, j]. No value is less than the one above it or left of it, and
// it exceeds that one by less than 512. With the values E[i+1, j] and F[i, j+1] less H[i, j−1] and H[i−1, j], these are the
// differences e and f of differences.cu, and the neighbours' differences of H are v and h.
//
// Each group subtracts the value above its first row from all its values after every CHUNK columns. So all values are at
// least 0 and below 2^15, and sums and differences of whole registers are those of both halves. A group hands down
// differences, because the group below subtracts other values.
//
// Points are bytes below 128, and those of upper groups are twice as large in shared memory. A dot product with 1 and 2^15
// adds the points of both groups to a register, on the multiplier's pipe. So a pair of cells takes 3.5 operations of the
// logic pipe, or 1.5 without opening costs: a selection of bytes serves two rows.
//
// A word of a border row has h in its lower half, and e in its upper half (sweep.cuh). Kept edges are the same as in
// differences.cu.

static_assert(HALVES == 2 && BY_TABLE && !TRANSPOSE, "the recurrence is for two groups and points from a table");

__device__ __forceinline__ u32 greatest(u32 a, u32 b, u32 c) { return __vimax3_s16x2(a, b, c); }
__device__ __forceinline__ u32 greater_sum(u32 a, u32 b, u32 c) { return __viaddmax_s16x2(a, b, c); } // max(a + b, c)

// Adds bytes 0 and 1 of `points` to both halves of `values`. The second byte is twice the points.
__device__ __forceinline__ u32 plus_first(u32 values, u32 points) { u32 d; asm("dp2a.lo.u32.u32 %0,%1,%2,%3;" : "=r"(d) : "r"(0x80000001u), "r"(points), "r"(values)); return d; }
// Adds bytes 2 and 3 like `plus_first`.
__device__ __forceinline__ u32 plus_second(u32 values, u32 points) { u32 d; asm("dp2a.hi.u32.u32 %0,%1,%2,%3;" : "=r"(d) : "r"(0x80000001u), "r"(points), "r"(values)); return d; }

struct Recurrence {
  typedef u32 Word;
  static constexpr u32 UNROLL = 8;

  // The registers of a thread while its warp computes a band.
  struct Band {
    u32 values[ROWS];            // H of the rows at the last column
    u32 f[AFFINE ? ROWS : 1];    // F of the rows at the next column
    u32 corner;                  // H of the row above the first row at the last column
    u32 h, e;                    // differences below the last row
    u32 b;                       // class of the upper group's column
    u32 ahead;                   // class of the next column of the lower group
  };

  static __device__ __forceinline__ void begin(Band& band, const Sweep& job, u32 index) {
    const u32 rest = job.left * 0x10001, first = index || lane() ? rest : job.left << 16 | job.first_left;
    band.corner = 0;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
      const u32 above = r ? band.values[r ? r - 1 : 0] : 0, added = r || !AFFINE ? rest : first;
      band.values[r] = plus(above, added);
      if (AFFINE) band.f[r] = plus(above, added);
    }
    band.h = band.e = 0;
    band.b = 0;
    band.ahead = column_symbol(job, 0);
  }

  // Returns the word of a column above the first band.
  static __device__ __forceinline__ u32 first_word(const Sweep& job, u32 column) {
    return (column || !AFFINE ? job.above : job.first_above) * 0x10001;
  }

  static __device__ __forceinline__ bool is_partial(const Sweep& job, u32 index) { return job.last_row && index == job.bands - 1; }

  // Subtracts the value above the first row from all values.
  static __device__ __forceinline__ void settle(Band& band, const Sweep&) {
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
      band.values[r] = minus(band.values[r], band.corner);
      if (AFFINE) band.f[r] = minus(band.f[r], band.corner);
    }
    band.corner = 0;
  }

  // Computes step s: group k computes column s − k. FULL means that all groups are inside the text and that nothing is
  // kept. `words` moves as in differences.cu.
  template<bool FULL> static __device__ __forceinline__ void step(Band& band, const Sweep& job, const BandBorders<Word>& borders, u32 s, u32& words) {
    const u32 open = job.open * 0x10001;
    StepPoints points;
    const u32 mask = points.advance<FULL>(band, job, s);
    auto masked = [&](u32 value, u32 old) { return FULL ? value : chosen(mask, value, old); };
    // The register and the half of the last row, if this thread has that row.
    const u32 last_offset = FULL ? 0 : job.m - 1 - (u32)borders.first_row, last_half = last_offset / ROWS & 1, last_register = last_offset % ROWS;
    u32 last = 0;
    const u32 received = __shfl_up_sync(EVERY, word(band.h, band.e), 1), upper = lane() ? received : words;
    const u32 above = plus(band.corner, lower_half(upper, band.h));
    u32 e = AFFINE ? plus(band.corner, upper_half(upper, band.e)) : above;
    u32 diagonal = band.corner, value = 0, old = 0;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
      const u32 paired = r % 2 ? plus_second(diagonal, points.of_rows(r)) : plus_first(diagonal, points.of_rows(r));
      old = diagonal = band.values[r];
      value = greatest(paired, AFFINE ? band.f[AFFINE ? r : 0] : old, e);
      if (AFFINE) {
        band.f[r] = masked(greater_sum(band.f[r], open, value), band.f[r]);
        e = greater_sum(e, open, value);
      } else {
        e = value;
      }
      band.values[r] = masked(value, old);
      if (!FULL && r == last_register) last = minus(value, old);
    }
    if (!FULL && borders.is_partial) {
      const u32 column = s - first_group() - last_half;
      if (borders.first_row <= job.m - 1 && job.m - 1 < borders.first_row + HALVES * ROWS && column < job.n) job.last_row[column] = of_group(last, last_half);
    }
    band.h = minus(value, old);
    band.e = AFFINE ? minus(e, old) : 0;
    band.corner = masked(above, band.corner);
    const u32 next = __shfl_down_sync(EVERY, words, 1);
    words = lane() == 31 ? word(band.h, band.e) : next;
    if (FULL || !job.tile) return;
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) {
      const u32 end = s - first_group() - half + 1;
      if (end - 1 >= job.n - 1 || end % job.tile) continue;
      u32* kept = job.kept_columns + (u64)(end / job.tile - 1) * job.bands * HEIGHT + borders.first_row + half * ROWS;
      #pragma unroll
      for (u32 r = 0; r < ROWS; r++) {
        const u32 before = r ? band.values[r ? r - 1 : 0] : band.corner;
        kept[r] = of_group(minus(band.values[r], before), half) | (AFFINE ? of_group(minus(band.f[AFFINE ? r : 0], before), half) << 16 : 0);
      }
    }
  }

  // Adds the differences v of the thread's rows in the last column to the sum.
  static __device__ __forceinline__ void end(const Band& band, const Sweep& job, const BandBorders<Word>& borders) {
    i32 sum = 0;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++)
      #pragma unroll
      for (u32 half = 0; half < HALVES; half++) {
        const u64 row = borders.first_row + half * ROWS + r;
        if (row >= job.m) continue;
        const u32 v = of_group(minus(band.values[r], r ? band.values[r ? r - 1 : 0] : band.corner), half);
        sum += (i32)v;
        if (job.last_column) job.last_column[row] = v;
      }
    sum = warp_sum(sum);
    if (!lane()) atomicAdd(job.sum, (u64)sum);
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) sweep_matrix(const __grid_constant__ Sweep job) { sweep<Recurrence>(job); }
