// Values of cells less the value of a cell nearby, for the same ends of alignments as values.cu, with points from a table:
//
//   H[i, j] = max(H[i−1, j−1] + points, E[i, j], F[i, j])
//   E[i+1, j] = max(H[i, j] − open − extend, E[i, j] − extend, floor)
//   F[i, j+1] = max(H[i, j] − open − extend, F[i, j] − extend)
//
// Because E is at least the floor, H is, too. The value of a cell exceeds that of a neighbour, or is exceeded by it, by at
// most D = open + extend plus the most points. Each group stores all values less its base, plus CENTRE. After every CHUNK
// columns, the value above the first row becomes the base. So stored values differ from CENTRE by at most (ROWS + CHUNK)·D,
// are at least 0 and below 2^15, and sums and differences of whole registers are those of both halves.
//
// Points are bytes from −64 to 63, and those of upper groups are twice as large in shared memory: see relative.cu. Rows
// outside of the text have the least points. Their values are less than one of a row inside, or equal to one in the same
// column or before it, so that they are never the best.
//
// A word of a border row has two differences, each with CENTRE added: that of H to the column before in its lower half, and
// that of E to H at the column before in its upper half (sweep.cuh). Each thread finds the best ends of its two groups by
// the rules of values.cu, but need not find values below the highest one of other threads.

static_assert(HALVES == 2 && BY_TABLE, "the recurrence is for two groups and points from a table");

constexpr u32 CENTRE = 0x4000;
constexpr u32 CENTRES = CENTRE * 0x10001;
constexpr i32 MOST = 0x7fff; // a stored value that no cell has

__device__ __forceinline__ u32 greatest(u32 a, u32 b, u32 c) { return __vimax3_s16x2(a, b, c); }
__device__ __forceinline__ u32 greater_sum(u32 a, u32 b, u32 c) { return __viaddmax_s16x2(a, b, c); } // max(a + b, c)

// Adds bytes 0 and 1 of `points` to both halves of `values`. The second byte is twice the points.
__device__ __forceinline__ u32 plus_first(u32 values, u32 points) { u32 d; asm("dp2a.lo.u32.s32 %0,%1,%2,%3;" : "=r"(d) : "r"(0x80000001u), "r"(points), "r"(values)); return d; }
// Adds bytes 2 and 3 like `plus_first`.
__device__ __forceinline__ u32 plus_second(u32 values, u32 points) { u32 d; asm("dp2a.hi.u32.s32 %0,%1,%2,%3;" : "=r"(d) : "r"(0x80000001u), "r"(points), "r"(values)); return d; }

struct Recurrence {
  typedef u32 Word;
  static constexpr u32 UNROLL = 4;

  // The registers of a thread while its warp computes a band.
  struct Band {
    u32 values[ROWS];   // H of the rows at the last column
    u32 f[ROWS];        // F of the rows at the next column
    u32 corner;         // H of the row above the first row at the last column
    u32 h, e;           // differences below the last row
    u32 b;              // class of the upper group's column
    u32 ahead;          // class of the next column of the lower group
    u32 floor;          // stored value of the floor
    u32 threshold;      // greatest stored value that is not better
    u32 improved;       // halves whose best cell has been found since the last change of the base
    i32 highest;        // highest value of all threads, as read at the last change of the base
    i32 base[HALVES];   // value that is stored as CENTRE
    i32 best[HALVES];   // highest value before the last change of the base, at least 0
    u32 steps[HALVES];  // step of the best cell
    u32 best_stored;    // stored value of the best cell, in its step
    u32 best_rows[ROWS]; // stored values of the rows in the step of the best cell
  };

  // Returns H of a cell before the first row or column, after `len` symbols of one text.
  static __device__ __forceinline__ i32 outer(const Sweep& job, u32 len) {
    return job.floor == 0 || len == 0 ? 0 : -(i32)(job.open + job.extend * len);
  }

  // Stores the floor and the threshold for the bases.
  static __device__ __forceinline__ void rebase(Band& band, const Sweep& job) {
    band.floor = band.threshold = band.improved = 0;
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) {
      const i32 zero = (i32)CENTRE - band.base[half], threshold = max(band.best[half] - (i32)job.by_row, band.highest - 1);
      if (job.floor == 0) band.floor |= (u32)max(zero, 0) << 16 * half;
      band.threshold |= (u32)min(max(zero + threshold, 0), MOST) << 16 * half;
    }
  }

  // Returns the highest value of a group so far.
  static __device__ __forceinline__ i32 best_of(const Band& band, u32 half) {
    return band.improved >> 16 * half & 1 ? (i32)of_group(band.best_stored, half) - (i32)CENTRE + band.base[half] : band.best[half];
  }

  static __device__ __forceinline__ void begin(Band& band, const Sweep& job, u32 index) {
    const u32 gap = (job.open + job.extend) * 0x10001;
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) {
      const u32 first = index * HEIGHT + (first_group() + half) * ROWS;
      band.base[half] = outer(job, first);
      #pragma unroll
      for (u32 r = 0; r < ROWS; r++) {
        const u32 value = (u32)(outer(job, first + r + 1) - band.base[half] + (i32)CENTRE);
        band.values[r] = half ? band.values[r] | value << 16 : value;
      }
      band.best[half] = 0;
      band.steps[half] = 0;
    }
    band.best_stored = 0;
    band.highest = 0;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) { band.f[r] = minus(band.values[r], gap); band.best_rows[r] = EVERY; }
    band.corner = CENTRES;
    band.h = band.e = CENTRES;
    band.b = 0;
    band.ahead = column_symbol(job, 0);
    rebase(band, job);
  }

  // Returns the word of a column above the first band.
  static __device__ __forceinline__ u32 first_word(const Sweep& job, u32 column) {
    const i32 h = outer(job, column + 1) - outer(job, column);
    const i32 e = job.floor == 0 ? 0 : h - (i32)(job.open + job.extend);
    return (u32)(h + (i32)CENTRE) | (u32)(e + (i32)CENTRE) << 16;
  }

  static __device__ __forceinline__ bool is_partial(const Sweep&, u32) { return false; }

  // Makes the value above the first row the base. The highest value of all threads is used in the next call, because the
  // read takes long.
  static __device__ __forceinline__ void settle(Band& band, const Sweep& job) {
    u32* highest = (u32*)job.sum;
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) band.best[half] = best_of(band, half);
    if (band.improved && max(band.best[0], band.best[1]) > band.highest) atomicMax(highest, (u32)max(band.best[0], band.best[1]));
    const u32 change = minus(band.corner, CENTRES);
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
      band.values[r] = minus(band.values[r], change);
      band.f[r] = minus(band.f[r], change);
    }
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) band.base[half] += (i32)of_group(band.corner, half) - (i32)CENTRE;
    band.corner = CENTRES;
    rebase(band, job);
    band.highest = (i32)peek(highest);
  }

  // Returns the first row of a group whose value in `rows` is that in `most`.
  static __device__ __forceinline__ u32 first_row(const u32 (&rows)[ROWS], u32 most, u32 half) {
    u32 row = 0;
    #pragma unroll
    for (i32 r = ROWS - 1; r >= 0; r--) if (of_group(rows[r], half) == of_group(most, half)) row = r;
    return row;
  }

  // Stores the cells of step s with the values `most` if they are better than the best ones. If values grow along both texts,
  // some warps find better cells in most columns, and the other warps wait for them. So the row is only found at the end of
  // the band.
  static __device__ __forceinline__ void store_better(Band& band, const Sweep& job, u32 s, u32 most) {
    const u32 changed = greatest(most, band.threshold, 0) ^ band.threshold;
    u32 better = (changed & 0xffff ? 0xffff : 0) | (changed >> 16 ? 0xffff0000 : 0);
    if (job.by_row) {
      u32 tied = 0;
      #pragma unroll
      for (u32 half = 0; half < HALVES; half++)
        if ((i32)of_group(most, half) - (i32)CENTRE + band.base[half] == best_of(band, half)) tied |= better & 0xffffu << 16 * half;
      // With the same value, only an earlier row is better.
      if (__any_sync(EVERY, tied)) {
        #pragma unroll
        for (u32 half = 0; half < HALVES; half++)
          if (first_row(band.values, most, half) >= first_row(band.best_rows, band.best_stored, half)) better &= ~(tied & 0xffffu << 16 * half);
      }
    }
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) if (better >> 16 * half & 1) band.steps[half] = s;
    band.improved |= better;
    band.threshold = chosen(better, minus(most, job.by_row * 0x10001 & better), band.threshold);
    band.best_stored = chosen(better, most, band.best_stored);
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) band.best_rows[r] = chosen(better, band.values[r], band.best_rows[r]);
  }

  // Computes step s: group k computes column s − k. FULL means that all groups are inside the text. `words` moves as in
  // differences.cu.
  template<bool FULL> static __device__ __forceinline__ void step(Band& band, const Sweep& job, const BandBorders<Word>&, u32 s, u32& words) {
    const u32 gap = (job.open + job.extend) * 0x10001, extend = job.extend * 0x10001, shrink = (0x10000 - job.extend & 0xffff) * 0x10001;
    StepPoints points;
    const u32 mask = points.advance<FULL>(band, job, s);
    auto masked = [&](u32 value, u32 old) { return FULL ? value : chosen(mask, value, old); };
    const u32 received = __shfl_up_sync(EVERY, word(band.h, band.e), 1), upper = lane() ? received : words;
    const u32 before = minus(band.corner, CENTRES), above = plus(before, lower_half(upper, band.h));
    u32 e = plus(before, upper_half(upper, band.e));
    u32 diagonal = band.corner, value = 0, old = 0, most = 0;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
      const u32 paired = r % 2 ? plus_second(diagonal, points.of_rows(r)) : plus_first(diagonal, points.of_rows(r)), upper_value = value;
      old = diagonal = band.values[r];
      value = greatest(paired, band.f[r], e);
      const u32 opened = minus(value, gap);
      e = greatest(opened, minus(e, extend), band.floor);
      band.f[r] = masked(greater_sum(band.f[r], shrink, opened), band.f[r]);
      band.values[r] = masked(value, old);
      if (r % 2) most = greatest(most, upper_value, value);
    }
    band.h = minus(plus(value, CENTRES), old);
    band.e = minus(plus(e, CENTRES), old);
    band.corner = masked(above, band.corner);
    const u32 next = __shfl_down_sync(EVERY, words, 1);
    words = lane() == 31 ? word(band.h, band.e) : next;
    if (!FULL) most &= mask;
    // Few steps have a better value in any lane.
    if (__any_sync(EVERY, greatest(most, band.threshold, 0) != band.threshold)) store_better(band, job, s, most);
  }

  // Writes the best end of both groups: its value, its column and its row.
  static __device__ __forceinline__ void end(const Band& band, const Sweep& job, const BandBorders<Word>& borders) {
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) {
      u32* best = job.best + 3 * (borders.first_row / ROWS + half);
      best[0] = (u32)band.best[half];
      best[1] = band.steps[half] - first_group() - half;
      best[2] = (u32)borders.first_row + half * ROWS + first_row(band.best_rows, band.best_stored, half);
    }
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) sweep_matrix(const __grid_constant__ Sweep job) { sweep<Recurrence>(job); }
