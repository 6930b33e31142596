// Values of cells, for the best local alignment, and for the best end of an alignment that starts in the first cell. With
// the points of a pair of symbols, and the costs `open` and `extend` of gaps:
//
//   H[i, j] = max(H[i−1, j−1] + points, E[i, j], F[i, j], floor)
//   E[i+1, j] = max(H[i, j] − open, E[i, j]) − extend
//   F[i, j+1] = max(H[i, j] − open, F[i, j]) − extend
//
// The floor is 0 for a local alignment, and otherwise below all values. Values have 32 bits, and HALVES is 1. A word of a
// border row (sweep.cuh) has H with its sign changed in the upper half, so that no word is all ones, and E in the lower
// half.
//
// Each thread keeps the highest value of its rows in a band, with the first column that has it, and in this column the
// first row. With `by_row`, it keeps the first row that has it, and in this row the first column.

struct Recurrence {
  typedef u64 Word;
  static constexpr u32 UNROLL = 8;

  // The registers of a thread while its warp computes a band.
  struct Band {
    u32 a[BY_TABLE ? 1 : ROWS]; // symbols of the rows
    i32 h[ROWS];
    i32 f[ROWS];
    i32 corner;      // H of the row above at the column before
    i32 last, e;     // H and E below the last row
    i32 best; u32 best_column; u32 best_row; // the highest value and its place
    i32 least;       // least value that may be better
    u32 b;           // symbol of the column
  };

  static __device__ __forceinline__ u64 word(i32 h, i32 e) { return (u64)((u32)h ^ 0x80000000u) << 32 | (u32)e; }

  // Returns H of a cell before the first row or column, after `len` symbols of one text.
  static __device__ __forceinline__ i32 outer(const Sweep& job, u32 len) {
    return job.floor == 0 || len == 0 ? 0 : -(i32)(job.open + job.extend * len);
  }

  static __device__ __forceinline__ void begin(Band& band, const Sweep& job, u32 index) {
    const u32 first = index * HEIGHT + lane() * ROWS;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
      if (!BY_TABLE) band.a[r] = row_symbol(job, first + r);
      band.h[r] = outer(job, first + r + 1);
      band.f[r] = band.h[r] - (i32)(job.open + job.extend);
    }
    band.corner = outer(job, first);
    band.last = band.e = 0;
    band.best = 0;
    band.best_column = band.best_row = 0;
    band.least = 1;
    band.b = column_symbol(job, 0);
  }

  // Returns the word of a column above the first band.
  static __device__ __forceinline__ u64 first_word(const Sweep& job, u32 column) {
    const i32 h = outer(job, column + 1);
    return word(h, h - (i32)(job.open + job.extend));
  }

  // The last band may have rows outside of the text.
  static __device__ __forceinline__ bool is_partial(const Sweep& job, u32 index) { return index == job.bands - 1 && job.m % HEIGHT; }

  static __device__ __forceinline__ void settle(Band&, const Sweep&) {}

  // Computes step s: lane k computes column s − k. FULL means that all lanes are inside the text. `words` moves as in
  // differences.cu.
  template<bool FULL> static __device__ __forceinline__ void step(Band& band, const Sweep& job, const BandBorders<Word>& borders, u32 s, u64& words) {
    const u64 received = __shfl_up_sync(EVERY, word(band.last, band.e), 1), upper = lane() ? received : words;
    const u32 column = s - lane();
    const bool is_inside = FULL || column < job.n;
    if (is_inside) {
      const i32 above = (i32)((u32)(upper >> 32) ^ 0x80000000u), opening = -(i32)(job.open + job.extend), floor = (i32)job.floor;
      i32 e = (i32)(u32)upper, diagonal = band.corner, most = -0x7fffffff;
      const u32 b = band.b;
#if BY_TABLE
      u32 points[POINT_WORDS];
      load(points, thread_points(job), b);
#endif
      #pragma unroll
      for (u32 r = 0; r < ROWS; r++) {
#if BY_TABLE
        // Byte r with its sign.
        i32 own;
        asm("prmt.b32 %0,%1,%1,%2;" : "=r"(own) : "r"(points[r / 4]), "r"(r % 4 | (8 + r % 4) * 0x1110));
#else
        const i32 own = __viaddmax_s32(~(band.a[r] ^ b), job.equal + 1, job.different);
#endif
        const i32 h = __vimax3_s32(__viaddmax_s32(diagonal, own, e), band.f[r], floor);
        diagonal = band.h[r];
        band.h[r] = h;
        e = __viaddmax_s32(h, opening, e - (i32)job.extend);
        band.f[r] = __viaddmax_s32(h, opening, band.f[r] - (i32)job.extend);
        if (FULL || borders.first_row + r < job.m) most = max(most, h);
      }
      band.corner = above;
      band.last = band.h[ROWS - 1];
      band.e = e;
      // Few steps have a better value in any lane, so that a branch of the whole warp costs less than selections.
      const bool is_better = most >= band.least;
      if (FULL ? __any_sync(EVERY, is_better) : is_better) {
        u32 row = 0;
        #pragma unroll
        for (i32 r = ROWS - 1; r >= 0; r--) if (band.h[r] == most && (FULL || borders.first_row + r < job.m)) row = r;
        if (is_better) {
          if (most > band.best || row < band.best_row) { band.best = most; band.best_column = column; band.best_row = row; }
          band.least = job.by_row ? most : most + 1;
        }
      }
    }
    band.b = FULL ? symbol(job, job.columns, s + 1 - lane()) : column_symbol(job, s + 1);
    const u64 next = __shfl_down_sync(EVERY, words, 1);
    words = lane() == 31 ? word(band.last, band.e) : next;
  }

  // Writes the best end of the thread's rows: its value, its column and its row.
  static __device__ __forceinline__ void end(const Band& band, const Sweep& job, const BandBorders<Word>& borders) {
    u32* best = job.best + 3 * (borders.first_row / ROWS);
    best[0] = (u32)band.best;
    best[1] = band.best_column;
    best[2] = (u32)borders.first_row + band.best_row;
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) sweep_matrix(const __grid_constant__ Sweep job) { sweep<Recurrence>(job); }
