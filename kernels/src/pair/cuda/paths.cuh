// Paths: from the border rows of bands.cuh to an optimal path and its edits. This file follows bands.cuh. The file of
// the recurrence defines
//   SIGN, RISE  the change of cost for a bit hp (a bit hn has the opposite sign), and the cost that a band adds at its left edge
//   came        from the record: whether an optimal path reached a cell from above, or from the left
// The cost at any column of a border row is the cost at its first column plus SIGN times the sum of the differences
// before it.

struct Crossing { const u64* above; const u64* below; i64 above_from; i64 above_to; i64 below_from; i64 below_to; i64 columns; i64 start; i64 gap; };
struct Cross { const Crossing* crossings; i64* found; };
struct Piece { const u32* record; u8* edits; i64 row; i64 column; u32 height; u32 width; i32 towards; u32 spare; };
struct Walk { const void* rows; const void* columns; const Piece* pieces; u32* lens; u32 size; u32 count; };
struct Edges { const u64* borders; i64* sums; i64 low; i64 high; u32 words; u32 stride; };

// Sweeps separate bands and records every step.
extern "C" __global__ void __launch_bounds__(THREADS, 1) record(const Sweep job) { bands<true>(job); }

// Returns a word of a border row that has the columns of the blocks from..to. Without a row, returns a word of a row
// with the minimum cost of a path to an end `gap` rows further on: |gap − columns|, or as many matches as both lengths
// allow.
__device__ __forceinline__ u64 border(const u64* row, i64 from, i64 to, i64 word, i64 gap) {
  if (row) return word >= from && word < to ? row[word - from] : 0;
  if (word < 0) return 0;
  const i64 left = gap - word * 32;
  const u32 before = left <= 0 ? 0 : left >= 32 ? EVERY : EVERY << (32 - left);
  return RISE ? (u64)before << 32 | (u32)~before : before;
}

// Finds where an optimal path crosses a border row: the leftmost column c with the minimum of above(c) + below(columns
// − c), among columns that both sides have. A block processes each crossing. Writes that minimum plus `start`, c, and
// above(c).
extern "C" __global__ void __launch_bounds__(1024) cross(const Cross job) {
  const Crossing x = job.crossings[blockIdx.x];
  const i64 below_from = x.below ? x.below_from : 0, below_to = x.below ? x.below_to : (x.columns + 31) >> 5;
  const i64 lowest = max(x.above_from * 32, x.columns - below_to * 32), highest = min(x.above_to * 32, x.columns - below_from * 32);
  const i64 end = max((max(highest, x.columns - below_from * 32) + 31) >> 5, x.above_from + 1);
  const u64 bias = 1ull << 31;
  u64 best = ~0ull; // (sum so far; column - lowest), smallest first
  i64 base = 0, right = 0;
  for (i64 tile = x.above_from; tile < end; tile += blockDim.x) {
    const i64 w = tile + threadIdx.x, column = w * 32;
    u32 fp = 0, fn = 0, bp = 0, bn = 0;
    if (w < end) {
      const i64 left = highest - column, from = x.columns - column - 32; // the corresponding columns of the other side
      const u32 mask = left >= 32 ? EVERY : left <= 0 ? 0 : EVERY << (32 - left);
      const u64 here = border(x.above, x.above_from, x.above_to, w, 0);
      const u64 hi = border(x.below, below_from, below_to, from >> 5, x.gap), lo = border(x.below, below_from, below_to, (from >> 5) + 1, x.gap);
      fp = (u32)here & mask; fn = (u32)(here >> 32) & mask;
      bp = __brev(__funnelshift_l((u32)lo, (u32)hi, (u32)from & 31));
      bn = __brev(__funnelshift_l((u32)(lo >> 32), (u32)(hi >> 32), (u32)from & 31));
    }
    const i32 back = SIGN * (__popc(bp) - __popc(bn)), sum = SIGN * (__popc(fp) - __popc(fn)) - back;
    i32 total, rights;
    const i64 start = base + sum_before(sum, total);
    sum_before(back, rights);
    if (column + 32 >= lowest && column <= highest) {
      i32 now = 0;
      for (int t = 0; t <= 32; t++) {
        const i64 at = column + t;
        const u64 key = (u64)(bias + start + now) << 32 | (u32)(at - lowest);
        if (at >= lowest && at <= highest && key < best) best = key;
        const int s = 31 - t & 31;
        now += SIGN * ((i32)(fp >> s & 1) - (i32)(fn >> s & 1) - (i32)(bp >> s & 1) + (i32)(bn >> s & 1));
      }
    }
    base += total; right += rights;
  }
  best = least(best);
  const i64 column = lowest + (i64)(u32)best;
  // Computes the cost of the part above, at the column that was found.
  i32 above = 0;
  for (i64 w = x.above_from + threadIdx.x; w * 32 < column; w += blockDim.x) {
    const u64 here = border(x.above, x.above_from, x.above_to, w, 0);
    const i64 left = column - w * 32;
    const u32 mask = left >= 32 ? EVERY : EVERY << (32 - left);
    above += SIGN * (__popc((u32)here & mask) - __popc((u32)(here >> 32) & mask));
  }
  i32 sum;
  sum_before(above, sum);
  if (threadIdx.x) return;
  i64* found = job.found + 3 * blockIdx.x;
  found[0] = x.start + (i64)(best >> 32) - (i64)bias + right; found[1] = column; found[2] = sum;
}

// Computes for each border row how much the cost grows from its first column to the first column of the row below it.
extern "C" __global__ void __launch_bounds__(1024) edges(const Edges job) {
  const Range own = covered(job.low, job.high, job.words, blockIdx.x), next = covered(job.low, job.high, job.words, blockIdx.x + 1);
  const u64* row = job.borders + (size_t)blockIdx.x * job.stride;
  i32 grown = 0;
  for (u32 w = own.from + threadIdx.x; w < next.from; w += blockDim.x) {
    const u64 here = row[w - own.from];
    grown += SIGN * (__popc((u32)here) - __popc((u32)(here >> 32)));
  }
  i32 sum;
  sum_before(grown, sum);
  if (!threadIdx.x) job.sums[blockIdx.x] = sum;
}

__device__ __forceinline__ u32 symbol_at(const void* symbols, u32 size, i64 at) {
  return size == 1 ? ((const u8*)symbols)[at] : ((const u32*)symbols)[at];
}

// Traces back through recorded bands, with a warp for each: from the cell (height, width) to the corner where the band
// began. Writes a byte for each edit, in the order of the traceback: 0 equal, 1 substitute, 2 insert, 3 delete. All
// lanes examine cells along one diagonal, so that a run of diagonal steps waits for memory only once.
extern "C" __global__ void __launch_bounds__(128) walk(const Walk job) {
  const u32 number = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (number >= job.count) return;
  const Piece piece = job.pieces[number];
  u32 i = piece.height, j = piece.width, len = 0;
  while (i && j) {
    bool above = false, left = false, inside = lane < i && lane < j;
    u8 edit = 0;
    if (inside) {
      came(piece.record, i - 1 - lane, j - 1 - lane, above, left);
      const i64 y = i - lane, x = j - lane; // numbers of symbols from the corner, negative before it
      const u32 a = symbol_at(job.rows, job.size, piece.towards < 0 ? piece.row - y : piece.row + y - 1);
      const u32 b = symbol_at(job.columns, job.size, piece.towards < 0 ? piece.column - x : piece.column + x - 1);
      edit = above ? 3 : left ? 2 : a != b;
    }
    const u32 ends = __ballot_sync(EVERY, !inside || above || left);
    const u32 run = ends ? __ffs(ends) - 1 : 32; // diagonal steps
    const u32 last = __ballot_sync(EVERY, lane == run && inside) ? 1 : 0;
    if (lane < run + last) piece.edits[len + lane] = edit;
    len += run + last; i -= run; j -= run;
    if (last) {
      const u32 up = __shfl_sync(EVERY, (u32)above, run);
      if (up) i--; else j--;
    }
  }
  for (u32 at = lane; at < i + j; at += 32) piece.edits[len + at] = i ? 3 : 2;
  if (!lane) job.lens[number] = len + i + j;
}
