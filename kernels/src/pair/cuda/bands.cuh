// A large pair over a pipeline of warps: the code that all recurrences share. The rule's own file goes before this one.
// It defines
//   Band        the state of a warp's 1024·WORDS rows: start, open, block
//   LAG         blocks between reading a word of the row above and producing that word of the band's last row
//   TOP         the word above the first row
//   PADS        whether a separate plane marks padding rows
//   place, pack the row of a bit in a band; 32 columns in the form that Band reads
//   FILLS       whether lanes wait for their first column, so that a band begins with steps of its own
//   RECORD      words that a step of a warp records for the traceback
// and the definitions that paths.cuh needs, if that follows. The host defines the constants WORDS, PLANES, GROUP,
// THREADS and STATE, and the places TICKET, STOP, DONE, KEPT of the control words and SAID, OVER, WISH of those on the
// board in the host's memory, 8 bytes each.
//
// Bits run along the rows, time along the columns. The output of a band is the growth of its last row: for each block
// of 32 columns the bits hp (more than at the column before) and hn (less), first column in the highest bit, in one
// 64-bit word hn:hp. Memory starts as all ones, which no real word is (hp and hn are never both set). A word is
// therefore its own ready flag, without a fence or a counter. The reader looks one word ahead and waits only if it is
// too early.
//
// A corridor of diagonals leaves out cells that are too far away. A band begins at its own first block, with the cost
// rising down its left edge as in column 0. Where the row above has ended, the band continues as the first row does.
// Both are paths that exist, so that no cost is too small. The cost of a path inside the corridor is never exceeded.
//
// FREE is defined for a search, in which a path may start at any column and the last row is the result. The columns are
// then swept in slices, each a pass with its own text and border rows. Padding rows on top match nothing: their cost
// rises down every column, and the first row of the pattern sees no difference along them.

constexpr u32 REPORT = 64;   // blocks between two reports of progress and checks of the stop word
constexpr u32 LOOK = 14;     // the host's board is read once in 2^LOOK counts of progress: 0.1 ms to 70 ms
constexpr u64 EARLY = ~0ull; // a border word that has not been written

struct Pass { const u32* rows; const u32* text; u64* borders; u32* record; u64 bands; };
struct Sweep { Pass pass[2]; const Pass* alone; u64* control; u64* board; void* state; u64 counts; i64 low; i64 high; u32 tickets; u32 words; u32 slots; u32 stride; u32 two; u32 resumes; };
struct Strip { const void* symbols; u32* planes; const i64* starts; i64 length; i64 padded; u32 size; u32 reversed; u32 words; u32 before; };

struct Range { u32 from, to; };

// Returns the blocks of 32 columns that a band covers.
__device__ __forceinline__ Range covered(i64 low, i64 high, u32 words, u32 band) {
  const i64 top = (i64)band * HEIGHT, from = (top + low) >> 5, to = (top + HEIGHT + high + 31) >> 5;
  return { (u32)(from < 0 ? 0 : from > words ? words : from), (u32)(to < 0 ? 0 : to > words ? words : to) };
}

__device__ __forceinline__ bool early(u64 word) { return (u32)(word >> 32) & (u32)word; }

// Counts progress. A thread that passes a mark writes the progress to the board in host memory, and reads there whether
// all must stop.
__device__ __forceinline__ void report(const Sweep& job, u64 blocks) {
  const u64 before = atomicAdd(job.control + DONE, blocks), now = before + blocks;
  if (now == job.counts) *(volatile u64*)(job.board + OVER) = 1;
  if (before >> LOOK == now >> LOOK) return;
  *(volatile u64*)(job.board + SAID) = now;
  if (*(volatile u64*)(job.board + WISH)) post(job.control + STOP, 1);
}

// An active band: the row above, the band's own last row, the blocks of both, and the next word of the row above.
struct Way {
  u64* upper; u64* lower;
  Range own, over;
  u64 next;
  bool clears; // whether this lane clears words that were read, so that the row can be reused
};

// Takes block q. FULL means that every lane has reached its first column. Returns false if the stop word was seen
// before anything was read.
template<bool RECORDS, bool FULL> __device__ __forceinline__ bool step(Band& band, const u32* columns, const Pass& pass, const Sweep& job, Way& way, u32 q) {
  while (__any_sync(EVERY, early(way.next))) {
    __nanosleep(20);
    const bool quit = peek(job.control + STOP);
    way.next = peek(way.upper + q);
    if (__any_sync(EVERY, quit)) return false;
  }
  const u64 above = way.next;
  if (way.clears && q < way.over.to) post(way.upper + q, EARLY);
  way.next = q + 1 < way.over.to ? peek(way.upper + q + 1) : TOP;
  const u64 below = band.block<RECORDS, FULL>(columns, above, pass.record + (size_t)(q - way.own.from) * 32 * RECORD);
  if (band.lane == 31 && (FULL && FILLS || q >= way.own.from + LAG)) post(way.lower + (q - LAG), below);
  return true;
}

// Sweeps the columns of a band from block q on, and records each step on request. Returns false if the stop word was
// seen. Then q is the block to continue with, of which nothing has been read yet.
template<bool RECORDS> __device__ __forceinline__ bool run(Band& band, const u32* columns, const Pass& pass, const Sweep& job, u32 index, u32& q) {
  Way way;
  way.own = covered(job.low, job.high, job.words, index);
  way.over = index ? covered(job.low, job.high, job.words, index - 1) : Range{0, 0};
  way.upper = pass.borders + (size_t)((index + job.slots - 1) % job.slots) * job.stride - way.over.from;
  way.lower = pass.borders + (size_t)(index % job.slots) * job.stride - way.own.from;
  way.clears = pass.bands > job.slots && !band.lane;
  way.next = q < way.over.to ? peek(way.upper + q) : TOP;
  const u32 from = way.own.from, to = way.own.to;
  while (q < to + LAG) {
    if (__any_sync(EVERY, peek(job.control + STOP) != 0)) return false;
    // The last step comes after a fence: see `bands`.
    const u32 stage = q < to + LAG - 1 ? to + LAG - 1 : to + LAG;
    if (stage == to + LAG) { __syncwarp(); __threadfence(); }
    // Until the next report, only the row above is read, because a single warp waits for each branch.
    const u32 last = min(stage, from + ((q - from) / REPORT + 1) * REPORT);
    if (FILLS && q < from + LAG) {
      #pragma unroll 1
      for (; q < min(last, from + LAG); q++) if (!step<RECORDS, false>(band, columns, pass, job, way, q)) return false;
    } else {
      #pragma unroll 1
      for (; q < last; q++) if (!step<RECORDS, true>(band, columns, pass, job, way, q)) return false;
    }
    if (!band.lane && (q - from) % REPORT == 0 && q <= to) report(job, REPORT);
  }
  if (!band.lane) report(job, (to - from) % REPORT);
  return true;
}

// The state of a thread that stopped before its end: its ticket plus one, or 0 if it has reached its end.
struct State { u32 ticket; u32 q; Band band; };
static_assert(sizeof(State) <= STATE, "there is room for all registers");

// Every warp takes bands in order until none is left, so the band above is always finished or in progress, and no wait
// is endless. With several passes, the tickets alternate between them. Separate bands have no row above.
//
// With fewer slots than bands, border rows form a ring: a row is cleared as it is read, and band i writes where band i
// − slots has written and band r = i − slots + 1 has read. It must see that r has cleared the row. There is one slot
// more than warps. So when i is taken, the warp of at least one band s < i, among bands r … i of a pass, has already
// taken another ticket.
//   A band clears the row above before its last step, passes a fence, and then posts the last word of its own row. Band r + 1
//   reads that word, passes its own fence, posts its last word, and so on up to s, whose warp passes the fence before its next
//   ticket. Tickets are successive changes of one word, so the warp that takes i, and then passes the fence, sees all of this.
// If s = r, the fence of its warp before the next ticket suffices. The warp that takes i + 1, which reads that row,
// comes later.
//
// If the stop word is seen and the host has provided memory, the state is saved, and the next launch of the same grid
// continues with it. The state consists of registers: `start` recreates the masks in shared memory at the same address,
// because a warp has the same place in the same grid.
template<bool RECORDS> __device__ __forceinline__ void bands(const Sweep& job) {
  State* state = (State*)job.state + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  u32 kept = !RECORDS && job.resumes ? state->ticket : 0;
  Band band;
  for (;;) {
    band.lane = threadIdx.x & 31; band.two = job.two;
    __syncwarp(); __threadfence();
    u32 ticket = kept ? kept - 1 : band.lane ? 0 : atomicAdd((u32*)(job.control + TICKET), 1);
    ticket = __shfl_sync(EVERY, ticket, 0);
    __threadfence(); __syncwarp();
    if (ticket >= job.tickets) break;
#ifdef FREE
    const u32 slices = job.tickets / (u32)job.alone->bands, index = ticket / slices;
    const Pass pass = job.alone[ticket % slices];
#else
    const bool both = job.pass[1].bands, second = both && ticket & 1;
    const Pass pass = job.alone ? job.alone[ticket] : second ? job.pass[1] : job.pass[0];
    const u32 index = job.alone ? 0 : both ? ticket >> 1 : ticket;
#endif
    band.start(pass.rows + (size_t)index * (PLANES + PADS) * WORDS * 32);
    u32 q = covered(job.low, job.high, job.words, index).from;
    const u32* columns = pass.text;
    band.open(columns, q, job.words);
    if (kept) {
      band = state->band; q = state->q;
      kept = 0;
    }
    if (!run<RECORDS>(band, columns, pass, job, index, q)) {
      if (RECORDS || !job.state) return;
      *state = State{ ticket + 1, q, band };
      if (!band.lane) atomicAdd((u32*)(job.control + KEPT), 1);
      return;
    }
  }
  if (!RECORDS && job.state) state->ticket = 0;
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) sweep(const Sweep job) { bands<false>(job); }

// Returns the number of the symbol at `i`, counted from the side that the strip is read from, or false if there is
// none.
__device__ __forceinline__ bool symbol(const Strip& s, i64 i, u32& x) {
#ifdef FREE
  const i64 at = i - s.before;
#else
  const i64 at = s.reversed ? s.padded - 1 - i : i;
#endif
  x = 0;
  if (at < 0 || at >= s.length) return false;
  x = s.size == 1 ? ((const u8*)s.symbols)[at] : ((const u32*)s.symbols)[at];
  return true;
}

// Creates the bit planes of the rows, as Band::start reads them. A thread creates the words of one (band, word, lane).
extern "C" __global__ void pack_rows(const Strip s) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x, lane = i & 31, k = i / 32 % WORDS, band = i / 32 / WORDS;
  if (i >= s.words) return;
  u32 word[PLANES + 1] = {};
  for (u32 bit = 0; bit < 32; bit++) {
    u32 x;
    word[PLANES] |= (u32)symbol(s, (i64)band * HEIGHT + place(lane, k, bit), x) << bit;
    #pragma unroll
    for (u32 p = 0; p < PLANES; p++) word[p] |= (x >> p & 1) << bit;
  }
  #pragma unroll
  for (u32 p = 0; p < PLANES + PADS; p++) s.planes[((size_t)(band * (PLANES + PADS) + p) * WORDS + k) * 32 + lane] = word[p];
}

// Packs the columns, a block of 32 for each thread. With `starts`, there are several windows, each with its own start.
extern "C" __global__ void pack_text(const Strip s) {
  const u32 blocks = (s.words + blockDim.x - 1) / blockDim.x, window = blockIdx.x / blocks;
  const u32 q = blockIdx.x % blocks * blockDim.x + threadIdx.x;
  if (q >= s.words) return;
  const i64 first = (s.starts ? s.starts[window] : 0) + (i64)q * 32;
  pack(s, first, s.planes + ((size_t)window * s.words + q) * TEXT_WORDS);
}
