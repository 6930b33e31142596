// A sweep over the matrix of two texts in bands of rows. A warp computes a band of HEIGHT rows, column by column. It
// consists of LANES groups of ROWS rows each. Group k works one column behind group k − 1, from which it receives the row
// above. With HALVES = 2, a thread holds two groups, 2·lane and 2·lane + 1, in the halves of its registers.
//
// A band hands its last row to the next band through global memory, in a word for each column. Memory starts as all ones,
// which no word is, so that a word is its own ready flag, without a fence. Border rows form a ring if there are fewer
// slots than bands: bands.cuh has the proof that no word is lost.
//
// With BY_TABLE, symbols are classes below `classes`, and the shared memory of a warp has a byte of points for each row of
// the band and each class of a column, or twice the points for the upper group of a thread. Otherwise, points depend on
// whether symbols are equal, and symbols are multiples of 2^shift.
//
// A type R has the recurrence: the registers R::Band of a thread, and functions that begin a band, compute a step, settle
// the registers after each chunk, and end a band. R::UNROLL steps are unrolled.
//
// The host defines ROWS, HALVES, TRANSPOSE, AFFINE, BY_TABLE, UNIT (bytes of a symbol), THREADS, STATE, and the places
// TICKET, STOP, DONE, KEPT of the control words and SAID, OVER, WISH of those on the board in the host's memory.

constexpr u32 LANES = 32 * HALVES;
constexpr u32 HEIGHT = LANES * ROWS;
constexpr u32 CHUNK = 32;    // columns whose border words a warp reads together, and writes together
constexpr u32 REPORT = 64;   // chunks between two reports of progress and checks of the stop word
constexpr u32 LOOK = 13;     // the host's board is read once in 2^LOOK chunks of progress
#if BY_TABLE
constexpr u32 POINT_WORDS = ROWS / 4;   // registers with the points of a group's rows
#endif

struct Sweep {
  const void* rows; const void* columns; const void* points; void* borders; u32* kept_rows; u32* kept_columns;
  u32* last_row; u32* last_column; u32* best; u64* sum; u64* control; u64* board; void* state; u64 counts;
  u32 m; u32 n; u32 shift; u32 none; u32 classes; u32 bands; u32 slots; u32 stride; u32 strip; u32 tile;
  u32 equal; u32 different; u32 open; u32 extend; u32 floor; u32 by_row; u32 exchange; u32 corner;
  u32 left; u32 first_left; u32 above; u32 first_above; u32 resumes; u32 spare;
};

__device__ __forceinline__ void post(u32* p, u32 v) { asm volatile("st.relaxed.gpu.u32 [%0],%1;" :: "l"(p), "r"(v)); }

#if UNIT == 1
typedef u8 Symbol;
#else
typedef u32 Symbol;
#endif

__device__ __forceinline__ u32 lane() { return threadIdx.x & 31; }
__device__ __forceinline__ u32 first_group() { return lane() * HALVES; }

__device__ __forceinline__ u32 symbol(const Sweep& job, const void* text, u32 at) { return (u32)__ldg((const Symbol*)text + at) << job.shift; }

#if HALVES == 2
// The word of the lower group's neighbour above: the upper halves of both.
__device__ __forceinline__ u32 word(u32 h, u32 other) { return __byte_perm(h, other, 0x7632); }
// From the word of the row above the lower group, and the lower group's own last row: the row above both groups.
__device__ __forceinline__ u32 lower_half(u32 word, u32 own) { return __byte_perm(word, own, 0x5410); }
__device__ __forceinline__ u32 upper_half(u32 word, u32 own) { return __byte_perm(word, own, 0x5432); }
__device__ __forceinline__ u32 of_group(u32 both, u32 half) { return half ? both >> 16 : both & 0xffff; }
#endif

// Returns the symbol of the lower group's column in step s. Before its first and after its last column, any symbol.
__device__ __forceinline__ u32 column_symbol(const Sweep& job, u32 s) {
  const i32 at = (i32)s - (i32)first_group();
  return symbol(job, job.columns, at < 0 ? 0 : min((u32)at, job.n));
}

// Returns the symbol of a row, or for rows outside of the text a number that no symbol has.
__device__ __forceinline__ u32 row_symbol(const Sweep& job, i64 row) { return row < 0 || row >= job.m ? job.none : symbol(job, job.rows, (u32)row); }

#if BY_TABLE
// The points of a warp: for each class of a column, the bytes of all lower groups, then those of all upper groups.
extern __shared__ uint4 shared[];
__device__ __forceinline__ u8* thread_points(const Sweep& job) { return (u8*)shared + (threadIdx.x >> 5) * job.classes * HEIGHT + lane() * ROWS; }

// Writes the points of the thread's rows of a band to shared memory. Rows outside of the text have the points `none`.
__device__ __forceinline__ void tabulate(const Sweep& job, u32 index) {
  u8* own = thread_points(job);
  for (u32 half = 0; half < HALVES; half++)
    for (u32 r = 0; r < ROWS; r++) {
      const u64 row = (u64)index * HEIGHT + (first_group() + half) * ROWS + r;
      const u8* points = (const u8*)job.points + (row < job.m ? (u32)((const u8*)job.rows)[row] * job.classes : 0);
      for (u32 c = 0; c < job.classes; c++) own[c * HEIGHT + half * 32 * ROWS + r] = (row < job.m ? points[c] : job.none) << half;
    }
  __syncwarp();
}

// Loads the points of a group's rows with the class at `offset`, which is a multiple of HEIGHT.
__device__ __forceinline__ void load(u32 (&points)[POINT_WORDS], const u8* own, u32 offset) {
#if ROWS == 16
  const uint4 all = *(const uint4*)(own + offset);
  points[0] = all.x; points[1] = all.y; points[2] = all.z; points[3] = all.w;
#elif ROWS == 8
  const uint2 all = *(const uint2*)(own + offset);
  points[0] = all.x; points[1] = all.y;
#else
  points[0] = *(const u32*)(own + offset);
#endif
}
#if HALVES == 2
// The points of a thread's rows in a step: those of the lower group and of the upper one.
struct StepPoints {
  u32 low[POINT_WORDS]; u32 high[POINT_WORDS];

  // Loads the points of step s, and the class of the next column. Returns a mask of the groups whose column is inside the text.
  template<bool FULL, class Band> __device__ __forceinline__ u32 advance(Band& band, const Sweep& job, u32 s) {
    const u8* own = thread_points(job);
    load(low, own, band.ahead);
    load(high, own + 32 * ROWS, band.b);
    band.b = band.ahead;
    band.ahead = FULL ? symbol(job, job.columns, s + 1 - first_group()) : column_symbol(job, s + 1);
    if (FULL) return EVERY;
    return (s - first_group() < job.n ? 0xffff : 0) | (s - first_group() - 1 < job.n ? 0xffff0000 : 0);
  }

  // Returns the points of row r, if it is even, and of the next one, for both groups.
  __device__ __forceinline__ u32 of_rows(u32 r) const { return __byte_perm(low[r / 4], high[r / 4], r % 4 < 2 ? 0x5140 : 0x7362); }
};

// Returns the bits of `a` where `mask` has ones, and those of `b` elsewhere.
__device__ __forceinline__ u32 chosen(u32 mask, u32 a, u32 b) { return logic<0xca>(mask, a, b); }
#endif
#endif

// An active band: the row above, the band's own last row, and what is kept.
template<class Word> struct BandBorders {
  Word* upper; Word* lower;
  u32* kept_row;   // copy of the row above, or null
  u64 first_row;   // the thread's first row
  Word next;       // word of the row above for the next chunk
  bool clears;     // whether words of the row above are cleared, so that the slot can be used again
  bool is_first;   // whether there is no band above
  bool is_partial; // whether no step is full
};

// Counts progress. A thread that passes a mark writes the progress to the board in host memory, and reads there whether
// all must stop.
__device__ __forceinline__ void report(const Sweep& job, u64 chunks) {
  const u64 before = atomicAdd(job.control + DONE, chunks), now = before + chunks;
  if (now == job.counts) *(volatile u64*)(job.board + OVER) = 1;
  if (before >> LOOK == now >> LOOK) return;
  *(volatile u64*)(job.board + SAID) = now;
  if (*(volatile u64*)(job.board + WISH)) post((u32*)(job.control + STOP), 1);
}

// Returns the number of chunks in which a band is computed.
__device__ __forceinline__ u32 chunks(const Sweep& job) { return (job.n + LANES - 1 + CHUNK - 1) / CHUNK; }

__device__ __forceinline__ bool must_stop(const Sweep& job) { return __any_sync(EVERY, peek((const u32*)(job.control + STOP)) != 0); }

// Computes a band from chunk q on. Returns false if the stop word was seen. Then q is the chunk to continue with, of
// which nothing has been read yet.
template<class R> __device__ __forceinline__ bool run(typename R::Band& band, const Sweep& job, BandBorders<typename R::Word>& borders, u32& q) {
  typedef typename R::Word Word;
  constexpr Word EARLY = ~(Word)0; // a border word that has not been written
  const u32 end = chunks(job), inside = borders.is_partial ? 0 : job.n / CHUNK, tile = job.tile / CHUNK;
  auto ahead = [&](u32 q) {
    const u32 column = q * CHUNK + lane();
    return borders.is_first || column >= job.n ? R::first_word(job, column) : peek(borders.upper + column);
  };
  borders.next = ahead(q);
  while (q < end) {
    if (q % REPORT == 0 && must_stop(job)) return false;
    while (__any_sync(EVERY, borders.next == EARLY)) {
      __nanosleep(20);
      if (must_stop(job)) return false;
      borders.next = ahead(q);
    }
    const u32 column = q * CHUNK + lane();
    Word words = borders.next;
    if (!borders.is_first && column < job.n) {
      if (borders.kept_row) borders.kept_row[column] = (u32)words;
      if (borders.clears) post(borders.upper + column, EARLY);
    }
    // The last words are written after a fence: see bands.cuh.
    if (q == end - 1) { __syncwarp(); __threadfence(); }
    else borders.next = ahead(q + 1);
    const bool full = q * CHUNK >= LANES - 1 && q < inside && !(tile && (q + 1) % tile <= 2);
    if (full) {
      #pragma unroll (R::UNROLL)
      for (u32 u = 0; u < CHUNK; u++) R::template step<true>(band, job, borders, q * CHUNK + u, words);
    } else {
      #pragma unroll 1
      for (u32 u = 0; u < CHUNK; u++) R::template step<false>(band, job, borders, q * CHUNK + u, words);
    }
    R::settle(band, job);
    const u32 own = column - (LANES - 1);
    if (own < job.n) post(borders.lower + own, words);
    q++;
    if (!lane() && (q % REPORT == 0 || q == end)) report(job, q % REPORT ? q % REPORT : REPORT);
  }
  return true;
}

// The state of a thread that stopped before its end: its ticket plus one, or 0 if it has reached its end.
template<class Band> struct State { u32 ticket; u32 q; Band band; };

// Every warp takes bands in order until none is left, so the band above is always finished or in progress, and no wait
// is endless. If the stop word is seen and the host has provided memory, the state is saved, and the next launch of the
// same grid continues with it.
template<class R> __device__ __forceinline__ void sweep(const Sweep& job) {
  typedef State<typename R::Band> Saved;
  static_assert(sizeof(Saved) <= STATE, "there is room for all registers");
  Saved* state = (Saved*)job.state + (u64)blockIdx.x * blockDim.x + threadIdx.x;
  u32 saved = job.resumes ? state->ticket : 0;
  for (;;) {
    __syncwarp(); __threadfence();
    u32 ticket = saved ? saved - 1 : lane() ? 0 : atomicAdd((u32*)(job.control + TICKET), 1u);
    ticket = __shfl_sync(EVERY, ticket, 0);
    __threadfence(); __syncwarp();
    if (ticket >= job.bands) break;
    typedef typename R::Word Word;
    BandBorders<Word> borders;
    borders.is_first = !ticket;
    borders.upper = (Word*)job.borders + (u64)((ticket + job.slots - 1) % job.slots) * job.stride;
    borders.lower = (Word*)job.borders + (u64)(ticket % job.slots) * job.stride;
    borders.clears = job.bands > job.slots;
    borders.kept_row = job.strip && ticket && ticket % job.strip == 0 ? job.kept_rows + (u64)(ticket / job.strip - 1) * job.stride : 0;
    borders.first_row = (u64)ticket * HEIGHT + first_group() * ROWS;
    borders.is_partial = R::is_partial(job, ticket);
    typename R::Band band;
    u32 q = 0;
#if BY_TABLE
    tabulate(job, ticket);
#endif
    if (saved) {
      band = state->band; q = state->q;
      saved = 0;
    } else {
      R::begin(band, job, ticket);
    }
    if (!run<R>(band, job, borders, q)) {
      if (!job.state) return;
      state->ticket = ticket + 1; state->q = q; state->band = band;
      if (!lane()) atomicAdd(job.control + KEPT, 1ull);
      return;
    }
    R::end(band, job, borders);
  }
  if (job.state) state->ticket = 0;
}
