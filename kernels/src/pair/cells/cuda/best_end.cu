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
// The word of the lower group's neighbour above: the upper halves of both.
__device__ __forceinline__ u32 word(u32 h, u32 e) { return __byte_perm(h, e, 0x7632); }
// From the word of the row above the lower group, and the lower group's own last row: the row above both groups.
__device__ __forceinline__ u32 lower_half(u32 word, u32 own) { return __byte_perm(word, own, 0x5410); }
__device__ __forceinline__ u32 upper_half(u32 word, u32 own) { return __byte_perm(word, own, 0x5432); }
__device__ __forceinline__ i32 of_group(u32 both, u32 half) { return (i32)(half ? both >> 16 : both & 0xffff); }

// Adds bytes 0 and 1 of `points` to both halves of `values`. The second byte is twice the points.
__device__ __forceinline__ u32 plus_first(u32 values, u32 points) { u32 d; asm("dp2a.lo.u32.s32 %0,%1,%2,%3;" : "=r"(d) : "r"(0x80000001u), "r"(points), "r"(values)); return d; }
// Adds bytes 2 and 3 like `plus_first`.
__device__ __forceinline__ u32 plus_second(u32 values, u32 points) { u32 d; asm("dp2a.hi.u32.s32 %0,%1,%2,%3;" : "=r"(d) : "r"(0x80000001u), "r"(points), "r"(values)); return d; }

// Bits of `a` where `mask` has ones, and bits of `b` elsewhere.
__device__ __forceinline__ u32 chosen(u32 mask, u32 a, u32 b) { return logic<0xca>(mask, a, b); }

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
    u32 bar;            // greatest stored value that is not better
    u32 improved;       // halves whose best cell has been found since the last change of the base
    i32 record;         // highest value of all threads, before the last change of the base
    i32 base[HALVES];   // value that is stored as CENTRE
    i32 best[HALVES];   // highest value before the last change of the base, at least 0
    u32 steps[HALVES];  // step of the best cell
    u32 top;            // stored value of the best cell, in its step
    u32 column[ROWS];   // stored values of the rows in the step of the best cell
  };

  // Returns H of a cell before the first row or column, after `len` symbols of one text.
  static __device__ __forceinline__ i32 outer(const Sweep& job, u32 len) {
    return job.floor == 0 || len == 0 ? 0 : -(i32)(job.open + job.extend * len);
  }

  // Stores the floor and the bar for the bases.
  static __device__ __forceinline__ void rebase(Band& band, const Sweep& job) {
    band.floor = band.bar = band.improved = 0;
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) {
      const i32 nought = (i32)CENTRE - band.base[half], bar = max(band.best[half] - (i32)job.by_row, band.record - 1);
      if (job.floor == 0) band.floor |= (u32)max(nought, 0) << 16 * half;
      band.bar |= (u32)min(max(nought + bar, 0), MOST) << 16 * half;
    }
  }

  // Returns the highest value of a group so far.
  static __device__ __forceinline__ i32 best_of(const Band& band, u32 half) {
    return band.improved >> 16 * half & 1 ? of_group(band.top, half) - (i32)CENTRE + band.base[half] : band.best[half];
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
    band.top = 0;
    band.record = 0;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) { band.f[r] = minus(band.values[r], gap); band.column[r] = EVERY; }
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

  // Makes the value above the first row the base. The record of all threads is used in the next call, because it takes long
  // to arrive.
  static __device__ __forceinline__ void settle(Band& band, const Sweep& job) {
    u32* record = (u32*)job.sum;
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) band.best[half] = best_of(band, half);
    if (band.improved && max(band.best[0], band.best[1]) > band.record) atomicMax(record, (u32)max(band.best[0], band.best[1]));
    const u32 change = minus(band.corner, CENTRES);
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
      band.values[r] = minus(band.values[r], change);
      band.f[r] = minus(band.f[r], change);
    }
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) band.base[half] += of_group(band.corner, half) - (i32)CENTRE;
    band.corner = CENTRES;
    rebase(band, job);
    band.record = (i32)peek(record);
  }

  // Returns the first row of a group whose value in `column` is that in `top`.
  static __device__ __forceinline__ u32 first_row(const u32 (&column)[ROWS], u32 top, u32 half) {
    u32 row = 0;
    #pragma unroll
    for (i32 r = ROWS - 1; r >= 0; r--) if (of_group(column[r], half) == of_group(top, half)) row = r;
    return row;
  }

  // Takes the cells of step s with the values `most` if they are better than the best ones. If values grow along both texts,
  // this is so in most columns of some warps, for which the others wait. So the row is only found at the end of the band.
  static __device__ __forceinline__ void improve(Band& band, const Sweep& job, u32 s, u32 most) {
    const u32 changed = greatest(most, band.bar, 0) ^ band.bar;
    u32 better = (changed & 0xffff ? 0xffff : 0) | (changed >> 16 ? 0xffff0000 : 0);
    if (job.by_row) {
      u32 tied = 0;
      #pragma unroll
      for (u32 half = 0; half < HALVES; half++)
        if (of_group(most, half) - (i32)CENTRE + band.base[half] == best_of(band, half)) tied |= better & 0xffffu << 16 * half;
      // With the same value, only an earlier row is better.
      if (__any_sync(EVERY, tied)) {
        #pragma unroll
        for (u32 half = 0; half < HALVES; half++)
          if (first_row(band.values, most, half) >= first_row(band.column, band.top, half)) better &= ~(tied & 0xffffu << 16 * half);
      }
    }
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) if (better >> 16 * half & 1) band.steps[half] = s;
    band.improved |= better;
    band.bar = chosen(better, minus(most, job.by_row * 0x10001 & better), band.bar);
    band.top = chosen(better, most, band.top);
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) band.column[r] = chosen(better, band.values[r], band.column[r]);
  }

  // Computes step s: group k computes column s − k. FULL means that all groups are inside the text. `words` moves as in
  // differences.cu.
  template<bool FULL> static __device__ __forceinline__ void step(Band& band, const Sweep& job, const BandBorders<Word>&, u32 s, u32& words) {
    const u32 gap = (job.open + job.extend) * 0x10001, extend = job.extend * 0x10001, shrink = (0x10000 - job.extend & 0xffff) * 0x10001;
    const u8* own = thread_points(job);
    u32 low[POINT_WORDS], high[POINT_WORDS];
    load(low, own, band.ahead);
    load(high, own + 32 * ROWS, band.b);
    band.b = band.ahead;
    band.ahead = FULL ? symbol(job, job.columns, s + 1 - first_group()) : column_symbol(job, s + 1);
    u32 mask = EVERY;
    if (!FULL) {
      mask = s - first_group() < job.n ? 0xffff : 0;
      if (s - first_group() - 1 < job.n) mask |= 0xffff0000;
    }
    auto masked = [&](u32 value, u32 old) { return FULL ? value : chosen(mask, value, old); };
    const u32 received = __shfl_up_sync(EVERY, word(band.h, band.e), 1), upper = lane() ? received : words;
    const u32 before = minus(band.corner, CENTRES), above = plus(before, lower_half(upper, band.h));
    u32 e = plus(before, upper_half(upper, band.e));
    u32 diagonal = band.corner, value = 0, old = 0, most = 0;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
      // The points of an even row and the next one, for both groups.
      const u32 points = __byte_perm(low[r / 4], high[r / 4], r % 4 < 2 ? 0x5140 : 0x7362);
      const u32 paired = r % 2 ? plus_second(diagonal, points) : plus_first(diagonal, points), upper_value = value;
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
    if (__any_sync(EVERY, greatest(most, band.bar, 0) != band.bar)) improve(band, job, s, most);
  }

  // Writes the best end of both groups: its value, its column and its row.
  static __device__ __forceinline__ void end(const Band& band, const Sweep& job, const BandBorders<Word>& borders) {
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) {
      u32* best = job.best + 3 * (borders.first_row / ROWS + half);
      best[0] = (u32)band.best[half];
      best[1] = band.steps[half] - first_group() - half;
      best[2] = (u32)borders.first_row + half * ROWS + first_row(band.column, band.top, half);
    }
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) sweep_matrix(const __grid_constant__ Sweep job) { sweep<Recurrence>(job); }
