// Differences between neighbouring cells of an edit distance with any costs; weighted.rs has the recurrence. The costs
// are substitute ≤ gap, and transpose if TRANSPOSE is set. All differences are stored as what they are less than gap:
// u = gap − v, w = gap − h and y = gap − z. Then a cell takes one maximum and two subtractions:
//
//   y = max(gap − substitute·(a ≠ b), u, w, 2·gap − transpose − y[above left] if the symbols and those before them are exchanged)
//   u = y − w
//   w = y − u
//
// u and w are from 0 to gap, and y is from gap − substitute to gap + substitute.
//
// A warp computes a band of HEIGHT rows, column by column. It consists of LANES runners of ROWS rows each. Runner k
// works one column behind runner k − 1, from which it receives w and y of the row above. With HALVES = 2, a thread holds
// two runners, 2·lane and 2·lane + 1, in the halves of its registers, and symbols have 14 bits.
//
// Symbols are multiples of 2^shift, which exceeds substitute, and twice substitute with TRANSPOSE. So `a ^ b` is either 0
// or so large that a sum from which it is subtracted is below gap − substitute. Its complement is −1 − (a ^ b), so that
// the subtraction and the maximum are one instruction. Neither comparisons nor selections are needed.
//
// A band hands its last row to the next band through global memory, in a word for each column: w in the lower half and
// y in the upper half. Memory starts as all ones, which no word is, so that a word is its own ready flag, without a
// fence. Border rows form a ring if there are fewer slots than bands: bands.cuh has the proof that no word is lost.
//
// For an alignment, the kernel keeps the word of each column along the last row of every strip of `strip` bands, and the
// word of each row (u and y) along the last column of every `tile` columns.
//
// The host defines ROWS, HALVES, TRANSPOSE, UNIT (bytes of a symbol), THREADS, STATE, and the places TICKET, STOP, DONE, KEPT of the control words
// and SAID, OVER, WISH of those on the board in the host's memory.

constexpr u32 LANES = 32 * HALVES;
constexpr u32 HEIGHT = LANES * ROWS;
constexpr u32 CHUNK = 32;    // columns whose border words a warp reads together, and writes together
constexpr u32 REPORT = 64;   // chunks between two reports of progress and checks of the stop word
constexpr u32 LOOK = 13;     // the host's board is read once in 2^LOOK chunks of progress
constexpr u32 EARLY = EVERY; // a border word that has not been written
constexpr u32 ONE = HALVES == 2 ? 0x10001 : 1; // the number 1 in every runner

struct Differences {
  const void* rows; const void* columns; u32* borders; u32* kept_rows; u32* kept_columns; u64* sum;
  u64* control; u64* board; void* state; u64 counts;
  u32 m; u32 n; u32 shift; u32 none; u32 bands; u32 slots; u32 stride; u32 strip; u32 tile;
  u32 substitute; u32 gap; u32 transpose; u32 resumes; u32 spare;
};

__device__ __forceinline__ void post(u32* p, u32 v) { asm volatile("st.relaxed.gpu.u32 [%0],%1;" :: "l"(p), "r"(v)); }

#if UNIT == 1
typedef u8 Symbol;
#else
typedef u32 Symbol;
#endif

__device__ __forceinline__ u32 symbol(const Differences& job, const void* text, u32 at) { return (u32)__ldg((const Symbol*)text + at) << job.shift; }

#if HALVES == 2
__device__ __forceinline__ u32 greatest(u32 a, u32 b, u32 c) { return __vimax3_u16x2(a, b, c); }
__device__ __forceinline__ u32 greater_sum(u32 a, u32 b, u32 c) { return __viaddmax_s16x2(a, b, c); } // max(a + b, c)
__device__ __forceinline__ u32 less(u32 a, u32 b) { return __vsub2(a, b); }
// The word of the lower runner's neighbour above: the upper halves of w and y.
__device__ __forceinline__ u32 word(u32 w, u32 y) { return __byte_perm(w, y, 0x7632); }
// From the word of the row above the lower runner, and the lower runner's own last row: the row above both runners.
__device__ __forceinline__ u32 lower_half(u32 word, u32 own) { return __byte_perm(word, own, 0x5410); }
__device__ __forceinline__ u32 upper_half(u32 word, u32 own) { return __byte_perm(word, own, 0x5432); }
__device__ __forceinline__ u32 of_runner(u32 both, u32 half) { return half ? both >> 16 : both & 0xffff; }
#else
__device__ __forceinline__ u32 greatest(u32 a, u32 b, u32 c) { return max(max(a, b), c); }
__device__ __forceinline__ u32 greater_sum(u32 a, u32 b, u32 c) { return __viaddmax_s32(a, b, c); }
__device__ __forceinline__ u32 less(u32 a, u32 b) { return a - b; }
__device__ __forceinline__ u32 word(u32 w, u32 y) { return w | y << 16; }
__device__ __forceinline__ u32 lower_half(u32 word, u32) { return word & 0xffff; }
__device__ __forceinline__ u32 upper_half(u32 word, u32) { return word >> 16; }
__device__ __forceinline__ u32 of_runner(u32 all, u32) { return all; }
#endif

// The registers of a thread while its warp computes a band.
struct Band {
  u32 a[ROWS];     // symbols of the rows
  u32 u[ROWS];
  u32 y[TRANSPOSE ? ROWS : 1];
  u32 x[TRANSPOSE ? ROWS : 1]; // ~(a ^ b) at the column before
  u32 before;      // symbol of the row above the first row
  u32 corner;      // y of the row above at the column before
  u32 w, last;     // w and y of the last row
  u32 b;           // symbol of the column
  u32 ahead;       // symbol of the next column of the lower runner
};

__device__ __forceinline__ u32 first_runner() { return (threadIdx.x & 31) * HALVES; }

// Returns the symbol of the lower runner's column in step s. Before its first and after its last column, any symbol.
__device__ __forceinline__ u32 column_symbol(const Differences& job, u32 s) {
  const i32 at = (i32)s - (i32)first_runner();
  return symbol(job, job.columns, at < 0 ? 0 : min((u32)at, job.n));
}

__device__ __forceinline__ void begin(Band& band, const Differences& job, u32 index) {
  // A row's symbol, or for rows outside of the text a number that no symbol has.
  auto row_symbol = [&](i64 row) { return row < 0 || row >= job.m ? job.none : symbol(job, job.rows, (u32)row); };
  auto rows = [&](i32 r) {
    u32 all = 0;
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) all |= row_symbol((i64)index * HEIGHT + (first_runner() + half) * ROWS + r) << 16 * half;
    return all;
  };
  #pragma unroll
  for (u32 r = 0; r < ROWS; r++) {
    band.a[r] = rows((i32)r);
    band.u[r] = 0;
  }
  #pragma unroll
  for (u32 r = 0; r < (TRANSPOSE ? ROWS : 1); r++) { band.y[r] = job.gap * ONE; band.x[r] = ~(job.none * ONE); }
  band.before = TRANSPOSE ? rows(-1) : 0;
  band.corner = band.last = job.gap * ONE;
  band.w = 0;
  band.b = 0;
  band.ahead = column_symbol(job, 0);
}

// An active band: the row above, the band's own last row, and what is kept.
struct Way {
  u32* upper; u32* lower;
  u32* kept_row;   // copy of the row above, or null
  u64 first_kept;  // place of the thread's first row along kept columns
  u32 next;        // word of the row above for the next chunk
  bool clears;     // whether words of the row above are cleared, so that the slot can be used again
  bool is_first;   // whether there is no band above
};

// Computes step s: runner k computes column s − k. FULL means that all runners are inside the text and that no column
// is kept. The lanes hold a word each of the row above, for the next steps, and of the band's own last row, from the
// steps before. Both move down by a lane: the first lane uses the word that arrives, and the last lane appends one. So
// `belt` takes no branch, and 32 words are written together.
template<bool FULL> __device__ __forceinline__ void step(Band& band, const Differences& job, const Way& way, u32 s, u32& belt) {
  const u32 lane = threadIdx.x & 31, equal = (job.gap + 1) * ONE, different = (job.gap - job.substitute) * ONE;
  const u32 received = __shfl_up_sync(EVERY, word(band.w, band.last), 1), upper = lane ? received : belt;
  u32 w = lower_half(upper, band.w);
  const u32 next_corner = TRANSPOSE ? upper_half(upper, band.last) : 0;
  const u32 b = band.b = HALVES == 2 ? __byte_perm(band.ahead, band.b, 0x5410) : band.ahead;
  band.ahead = FULL ? symbol(job, job.columns, s + 1 - first_runner()) : column_symbol(job, s + 1);
  u32 mask = EVERY;
  if (!FULL) {
    mask = 0;
    #pragma unroll
    for (u32 half = 0; half < HALVES; half++) mask |= s - first_runner() - half < job.n ? (HALVES == 2 ? 0xffffu : EVERY) << 16 * half : 0;
  }
  auto masked = [&](u32 value, u32 old) { return FULL ? value : value & mask | old & ~mask; };
  u32 x_above = TRANSPOSE ? ~(band.before ^ b) : 0, corner = band.corner, y = 0;
  #pragma unroll
  for (u32 r = 0; r < ROWS; r++) {
    const u32 x = ~(band.a[r] ^ b), u = band.u[r];
    u32 most = greater_sum(x, equal, different);
    if (TRANSPOSE) {
      most = greater_sum(band.x[r] & x_above, less((2 * job.gap - job.transpose + 1) * ONE, corner), most);
      corner = band.y[r];
      x_above = x;
      band.x[r] = masked(x, band.x[r]);
    }
    y = greatest(most, u, w);
    if (TRANSPOSE) band.y[r] = masked(y, corner);
    band.u[r] = masked(y - w, u);
    w = y - u;
  }
  band.corner = next_corner;
  band.w = w;
  band.last = TRANSPOSE ? y : 0;
  const u32 next = __shfl_down_sync(EVERY, belt, 1);
  belt = lane == 31 ? word(band.w, band.last) : next;
  if (FULL || !job.tile) return;
  #pragma unroll
  for (u32 half = 0; half < HALVES; half++) {
    const u32 end = s - first_runner() - half + 1;
    if (end - 1 >= job.n - 1 || end % job.tile) continue;
    u32* kept = job.kept_columns + (u64)(end / job.tile - 1) * job.bands * HEIGHT + way.first_kept + half * ROWS;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) kept[r] = of_runner(band.u[r], half) | of_runner(band.y[TRANSPOSE ? r : 0], half) << 16;
  }
}

// Counts progress. A thread that passes a mark writes the progress to the board in host memory, and reads there whether
// all must stop.
__device__ __forceinline__ void report(const Differences& job, u64 chunks) {
  const u64 before = atomicAdd(job.control + DONE, chunks), now = before + chunks;
  if (now == job.counts) *(volatile u64*)(job.board + OVER) = 1;
  if (before >> LOOK == now >> LOOK) return;
  *(volatile u64*)(job.board + SAID) = now;
  if (*(volatile u64*)(job.board + WISH)) post(job.control + STOP, 1);
}

// Returns the number of chunks in which a band is computed.
__device__ __forceinline__ u32 chunks(const Differences& job) { return (job.n + LANES - 1 + CHUNK - 1) / CHUNK; }

// Computes a band from chunk q on. Returns false if the stop word was seen. Then q is the chunk to continue with, of
// which nothing has been read yet.
__device__ __forceinline__ bool run(Band& band, const Differences& job, Way& way, u32& q) {
  const u32 lane = threadIdx.x & 31, end = chunks(job), first = job.gap << 16;
  const u32 inside = job.n / CHUNK, tile = job.tile / CHUNK;
  auto ahead = [&](u32 q) { const u32 column = q * CHUNK + lane; return way.is_first || column >= job.n ? first : peek(way.upper + column); };
  way.next = ahead(q);
  while (q < end) {
    if (q % REPORT == 0 && __any_sync(EVERY, peek(job.control + STOP) != 0)) return false;
    while (__any_sync(EVERY, way.next == EARLY)) {
      __nanosleep(20);
      if (__any_sync(EVERY, peek(job.control + STOP) != 0)) return false;
      way.next = ahead(q);
    }
    const u32 column = q * CHUNK + lane;
    u32 belt = way.next;
    if (!way.is_first && column < job.n) {
      if (way.kept_row) way.kept_row[column] = belt;
      if (way.clears) post(way.upper + column, EARLY);
    }
    // The last words are written after a fence: see bands.cuh.
    if (q == end - 1) { __syncwarp(); __threadfence(); }
    else way.next = ahead(q + 1);
    const bool full = q * CHUNK >= LANES - 1 && q < inside && !(tile && (q + 1) % tile <= 2);
    if (full) {
      #pragma unroll 8
      for (u32 u = 0; u < CHUNK; u++) step<true>(band, job, way, q * CHUNK + u, belt);
    } else {
      #pragma unroll 1
      for (u32 u = 0; u < CHUNK; u++) step<false>(band, job, way, q * CHUNK + u, belt);
    }
    const u32 own = column - (LANES - 1);
    if (own < job.n) post(way.lower + own, belt);
    q++;
    if (!lane && (q % REPORT == 0 || q == end)) report(job, q % REPORT ? q % REPORT : REPORT);
  }
  return true;
}

// The state of a thread that stopped before its end: its ticket plus one, or 0 if it has reached its end.
struct State { u32 ticket; u32 q; Band band; };
static_assert(sizeof(State) <= STATE, "there is room for all registers");

// Every warp takes bands in order until none is left, so the band above is always finished or in progress, and no wait
// is endless. If the stop word is seen and the host has provided memory, the state is saved, and the next launch of the
// same grid continues with it.
extern "C" __global__ void __launch_bounds__(THREADS, 1) differences(const __grid_constant__ Differences job) {
  State* state = (State*)job.state + (u64)blockIdx.x * blockDim.x + threadIdx.x;
  u32 saved = job.resumes ? state->ticket : 0;
  const u32 lane = threadIdx.x & 31;
  for (;;) {
    __syncwarp(); __threadfence();
    u32 ticket = saved ? saved - 1 : lane ? 0 : atomicAdd((u32*)(job.control + TICKET), 1u);
    ticket = __shfl_sync(EVERY, ticket, 0);
    __threadfence(); __syncwarp();
    if (ticket >= job.bands) break;
    Way way;
    way.is_first = !ticket;
    way.upper = job.borders + (u64)((ticket + job.slots - 1) % job.slots) * job.stride;
    way.lower = job.borders + (u64)(ticket % job.slots) * job.stride;
    way.clears = job.bands > job.slots;
    way.kept_row = job.strip && ticket && ticket % job.strip == 0 ? job.kept_rows + (u64)(ticket / job.strip - 1) * job.stride : 0;
    way.first_kept = (u64)ticket * HEIGHT + first_runner() * ROWS;
    Band band;
    u32 q = 0;
    if (saved) {
      band = state->band; q = state->q;
      saved = 0;
    } else {
      begin(band, job, ticket);
    }
    if (!run(band, job, way, q)) {
      if (!job.state) return;
      state->ticket = ticket + 1; state->q = q; state->band = band;
      if (!lane) atomicAdd(job.control + KEPT, 1ull);
      return;
    }
    // The sum of v along the last column, of rows inside the text.
    i32 sum = 0;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++)
      #pragma unroll
      for (u32 half = 0; half < HALVES; half++)
        if (way.first_kept + half * ROWS + r < job.m) sum += (i32)(job.gap - of_runner(band.u[r], half));
    sum = warp_sum(sum);
    if (!lane) atomicAdd(job.sum, (u64)sum);
  }
  if (job.state) state->ticket = 0;
}
