// Differences between neighbouring cells, for edit distances with any costs and for sequence alignment. weighted.rs and
// sequence_alignment/engine/differences.rs have the recurrences. With the points of a pair of symbols and the cost `open`
// of opening a gap, all raised so that extending a gap costs nothing:
//
//   z = max(points, e, f)        v = z − h_above      e = max(e_above, z − open) − v_left
//                                h = z − v_left       f = max(f_left, z − open) − h_above
//
// v and h are stored with `open` added, and z, e and f with twice `open` added. Then no difference is negative, and one
// subtraction of whole registers subtracts both halves. If gaps have no opening cost, e = h_above and f = v_left.
// With TRANSPOSE, gaps have none, and z has one more operand: `exchange` − z[above left] if the symbols and those before
// them are exchanged.
//
// A word of a border row has h in its lower half, and e or z in its upper half (sweep.cuh).
//
// Points depend on equality. Symbols are multiples of 2^shift, which exceeds equal − different, and twice that with
// TRANSPOSE. They have 14 bits if HALVES = 2. So `a ^ b` is either 0 or so large that a sum from which it is subtracted is
// below `different`. Its complement is −1 − (a ^ b), so that the subtraction and the maximum are one instruction. Neither
// comparisons nor selections are needed. relative.cu finds the same differences with points from a table.
//
// For an alignment, the kernel keeps the word of each column along the last row of every strip of `strip` bands, and the
// word of each row (v and f, or v and z) along the last column of every `tile` columns. For the best end of an alignment,
// it keeps v of each row in the last column, and h of each column in the last row.

constexpr u32 ONE = HALVES == 2 ? 0x10001 : 1; // the number 1 in every group

#if HALVES == 2
__device__ __forceinline__ u32 greatest(u32 a, u32 b, u32 c) { return __vimax3_u16x2(a, b, c); }
__device__ __forceinline__ u32 greater_sum(u32 a, u32 b, u32 c) { return __viaddmax_s16x2(a, b, c); } // max(a + b, c)
__device__ __forceinline__ u32 less(u32 a, u32 b) { return __vsub2(a, b); }
#else
__device__ __forceinline__ u32 greatest(u32 a, u32 b, u32 c) { return max(max(a, b), c); }
__device__ __forceinline__ u32 greater_sum(u32 a, u32 b, u32 c) { return __viaddmax_s32(a, b, c); }
__device__ __forceinline__ u32 less(u32 a, u32 b) { return a - b; }
__device__ __forceinline__ u32 word(u32 h, u32 other) { return h | other << 16; }
__device__ __forceinline__ u32 lower_half(u32 word, u32) { return word & 0xffff; }
__device__ __forceinline__ u32 upper_half(u32 word, u32) { return word >> 16; }
__device__ __forceinline__ u32 of_group(u32 all, u32) { return all; }
#endif

struct Recurrence {
  typedef u32 Word;
  static constexpr u32 UNROLL = 8;

  // The registers of a thread while its warp computes a band.
  struct Band {
    u32 a[ROWS];                 // symbols of the rows
    u32 v[ROWS];
    u32 f[AFFINE ? ROWS : 1];
    u32 z[TRANSPOSE ? ROWS : 1];
    u32 x[TRANSPOSE ? ROWS : 1]; // ~(a ^ b) at the column before
    u32 before;      // symbol of the row above the first row
    u32 corner;      // z of the row above at the column before
    u32 h, last;     // h and e, or h and z, of the last row
    u32 b;           // symbol of the column
    u32 ahead;       // symbol of the next column of the lower group
  };

  static __device__ __forceinline__ void begin(Band& band, const Sweep& job, u32 index) {
    auto rows = [&](i32 r) {
      u32 all = 0;
      #pragma unroll
      for (u32 half = 0; half < HALVES; half++) all |= row_symbol(job, (i64)index * HEIGHT + (first_group() + half) * ROWS + r) << 16 * half;
      return all;
    };
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
      band.a[r] = rows((i32)r);
      band.v[r] = job.left * ONE;
      if (AFFINE) band.f[r] = job.left * ONE;
    }
    if (AFFINE && !index && !lane()) {
      band.v[0] = job.left * (ONE - 1) + job.first_left;
      band.f[0] = band.v[0];
    }
    #pragma unroll
    for (u32 r = 0; r < (TRANSPOSE ? ROWS : 1); r++) { band.z[r] = job.corner * ONE; band.x[r] = ~(job.none * ONE); }
    band.before = TRANSPOSE ? rows(-1) : 0;
    band.corner = band.last = job.corner * ONE;
    band.h = 0;
    band.b = 0;
    band.ahead = column_symbol(job, 0);
  }

  // Returns the word of a column above the first band.
  static __device__ __forceinline__ u32 first_word(const Sweep& job, u32 column) {
    if (TRANSPOSE) return job.corner << 16;
    return (column || !AFFINE ? job.above : job.first_above) * 0x10001;
  }

  static __device__ __forceinline__ bool is_partial(const Sweep& job, u32 index) { return job.last_row && index == job.bands - 1; }

  static __device__ __forceinline__ void settle(Band&, const Sweep&) {}

  // Computes step s: group k computes column s − k. FULL means that all groups are inside the text and that nothing
  // is kept. The lanes hold a word each of the row above, for the next steps, and of the band's own last row, from the
  // steps before. Both move down by a lane: the first lane uses the word that arrives, and the last lane appends one. So
  // `words` takes no branch, and 32 words are written together.
  template<bool FULL> static __device__ __forceinline__ void step(Band& band, const Sweep& job, const BandBorders<Word>& borders, u32 s, u32& words) {
    const u32 equal = (job.equal + 1) * ONE, different = job.different * ONE, open = job.open * ONE;
    const u32 received = __shfl_up_sync(EVERY, word(band.h, band.last), 1), upper = lane() ? received : words;
    u32 h = lower_half(upper, band.h);
    const u32 other = TRANSPOSE || AFFINE ? upper_half(upper, band.last) : 0; // e, or the next corner
    u32 e = other;
    const u32 b = band.b = HALVES == 2 ? __byte_perm(band.ahead, band.b, 0x5410) : band.ahead;
    band.ahead = FULL ? symbol(job, job.columns, s + 1 - first_group()) : column_symbol(job, s + 1);
    u32 mask = EVERY;
    if (!FULL) {
      mask = 0;
      #pragma unroll
      for (u32 half = 0; half < HALVES; half++) mask |= s - first_group() - half < job.n ? (HALVES == 2 ? 0xffffu : EVERY) << 16 * half : 0;
    }
    auto masked = [&](u32 value, u32 old) { return FULL ? value : value & mask | old & ~mask; };
    // The register and the half of the last row, if this thread has that row.
    const u32 last_offset = FULL ? 0 : job.m - 1 - (u32)borders.first_row, last_half = last_offset / ROWS & 1, last_register = last_offset % ROWS;
    u32 last = 0;
    u32 x_above = TRANSPOSE ? ~(band.before ^ b) : 0, corner = band.corner, z = 0;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) {
      const u32 v = band.v[r];
      const u32 x = ~(band.a[r] ^ b);
      u32 most = greater_sum(x, equal, different);
      if (TRANSPOSE) {
        most = greater_sum(band.x[r] & x_above, less((job.exchange + 1) * ONE, corner), most);
        corner = band.z[r];
        x_above = x;
        band.x[r] = masked(x, band.x[r]);
      }
      z = greatest(most, AFFINE ? e : h, AFFINE ? band.f[r] : v);
      if (TRANSPOSE) band.z[r] = masked(z, corner);
      band.v[r] = masked(minus(z, h), v);
      if (AFFINE) {
        band.f[r] = masked(minus(greater_sum(band.f[r], open, z), h), band.f[r]);
        e = minus(greater_sum(e, open, z), v);
      }
      h = minus(z, v);
      if (!FULL && r == last_register) last = h;
    }
    if (!FULL && borders.is_partial) {
      const u32 column = s - first_group() - last_half;
      if (borders.first_row <= job.m - 1 && job.m - 1 < borders.first_row + HALVES * ROWS && column < job.n) job.last_row[column] = of_group(last, last_half);
    }
    band.corner = other;
    band.h = h;
    band.last = AFFINE ? e : TRANSPOSE ? z : 0;
    const u32 next = __shfl_down_sync(EVERY, words, 1);
    words = lane() == 31 ? word(band.h, band.last) : next;
    if (FULL || !job.tile) return;
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) {
      const u32 end = s - first_group() - half + 1;
      if (end - 1 >= job.n - 1 || end % job.tile) continue;
      u32* kept = job.kept_columns + (u64)(end / job.tile - 1) * job.bands * HEIGHT + borders.first_row + half * ROWS;
      #pragma unroll
      for (u32 r = 0; r < ROWS; r++) {
        const u32 other = AFFINE ? band.f[AFFINE ? r : 0] : band.z[TRANSPOSE ? r : 0];
        kept[r] = of_group(band.v[r], half) | of_group(other, half) << 16;
      }
    }
  }

  // Adds v of the thread's rows in the last column to the sum.
  static __device__ __forceinline__ void end(const Band& band, const Sweep& job, const BandBorders<Word>& borders) {
    i32 sum = 0;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++)
      #pragma unroll
      for (u32 half = 0; half < HALVES; half++) {
        const u64 row = borders.first_row + half * ROWS + r;
        if (row >= job.m) continue;
        const u32 v = of_group(band.v[r], half);
        sum += (i32)v;
        if (job.last_column) job.last_column[row] = v;
      }
    sum = warp_sum(sum);
    if (!lane()) atomicAdd(job.sum, (u64)sum);
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) sweep_matrix(const __grid_constant__ Sweep job) { sweep<Recurrence>(job); }
