// Differences between neighbouring cells of an edit distance with any costs; weighted.rs has the recurrence. The costs
// are substitute ≤ gap, and transpose if TRANSPOSE is set:
//
//   z = min(substitute·(a ≠ b), v, h, transpose − z[above left] if the symbols and those before them are exchanged)
//   v = gap + z − h
//   h = gap + z − v
//
// A warp computes a band of HEIGHT rows, column by column. It consists of LANES runners of ROWS rows each. Runner k
// works one column behind runner k − 1, from which it receives h and z of the row above. With HALVES = 2, a thread holds
// two runners, 2·lane and 2·lane + 1, in the halves of its registers, and symbols have 16 bits.
//
// With TRANSPOSE, z may be negative, but not less than −substitute. So all differences are stored plus substitute, the
// bias. Without TRANSPOSE, the bias is 0. Additions of whole registers then do not carry from one half into the other.
// Symbols are multiples of 2^shift, which exceeds substitute plus bias. So `a ^ b` is either 0 or more than all
// differences that count, and its minimum with them needs no comparison of symbols.
//
// A band hands its last row to the next band through global memory, in a word for each column: h in the lower half and
// z in the upper half. Memory starts as all ones, which no word is, so that a word is its own ready flag, without a
// fence. Border rows form a ring if there are fewer slots than bands: bands.cuh has the proof that no word is lost.
//
// For an alignment, the kernel keeps the word of each column along the last row of every strip of `strip` bands, and the
// word of each row (v and z) along the last column of every `tile` columns.
//
// The host defines ROWS, HALVES, TRANSPOSE, UNIT (bytes of a symbol), THREADS, STATE, and the places TICKET, STOP, DONE, KEPT of the control words
// and SAID, OVER, WISH of those on the board in the host's memory.

constexpr u32 LANES = 32 * HALVES;
constexpr u32 HEIGHT = LANES * ROWS;
constexpr u32 CHUNK = 32;    // columns whose border words a warp reads together
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
__device__ __forceinline__ u32 lesser(u32 a, u32 b) { return __vminu2(a, b); }
__device__ __forceinline__ u32 greater(u32 a, u32 b) { return __vmaxu2(a, b); }
__device__ __forceinline__ u32 least(u32 a, u32 b, u32 c) { return __vimin3_u16x2(a, b, c); }
// The word of the lower runner's neighbour above: the upper halves of h and z.
__device__ __forceinline__ u32 word(u32 h, u32 z) { return __byte_perm(h, z, 0x7632); }
// From the word of the row above the lower runner, and the lower runner's own last row: the row above both runners.
__device__ __forceinline__ u32 lower_half(u32 word, u32 own) { return __byte_perm(word, own, 0x5410); }
__device__ __forceinline__ u32 upper_half(u32 word, u32 own) { return __byte_perm(word, own, 0x5432); }
__device__ __forceinline__ u32 of_runner(u32 both, u32 half) { return half ? both >> 16 : both & 0xffff; }
#else
__device__ __forceinline__ u32 lesser(u32 a, u32 b) { return min(a, b); }
__device__ __forceinline__ u32 greater(u32 a, u32 b) { return max(a, b); }
__device__ __forceinline__ u32 least(u32 a, u32 b, u32 c) { return min(min(a, b), c); }
__device__ __forceinline__ u32 word(u32 h, u32 z) { return h | z << 16; }
__device__ __forceinline__ u32 lower_half(u32 word, u32) { return word & 0xffff; }
__device__ __forceinline__ u32 upper_half(u32 word, u32) { return word >> 16; }
__device__ __forceinline__ u32 of_runner(u32 all, u32) { return all; }
#endif

// The registers of a thread while its warp computes a band.
struct Band {
  u32 a[ROWS];     // symbols of the rows
  u32 v[ROWS];
  u32 z[TRANSPOSE ? ROWS : 1];
  u32 x[TRANSPOSE ? ROWS : 1]; // a ^ b at the column before
  u32 before;      // symbol of the row above the first row
  u32 corner;      // z of the row above at the column before
  u32 h, last;     // h and z of the last row
  u32 b;           // symbol of the column
  u32 ahead;       // symbol of the next column of the lower runner
};

__device__ __forceinline__ u32 bias_of(const Differences& job) { return TRANSPOSE ? job.substitute * ONE : 0; }

__device__ __forceinline__ u32 first_runner() { return (threadIdx.x & 31) * HALVES; }

// Returns the symbol of the lower runner's column in step s. Before its first and after its last column, any symbol.
__device__ __forceinline__ u32 column_symbol(const Differences& job, u32 s) {
  const i32 at = (i32)s - (i32)first_runner();
  return symbol(job, job.columns, at < 0 ? 0 : min((u32)at, job.n));
}

__device__ __forceinline__ void begin(Band& band, const Differences& job, u32 index) {
  const u32 bias = bias_of(job);
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
    band.v[r] = job.gap * ONE + bias;
  }
  #pragma unroll
  for (u32 r = 0; r < (TRANSPOSE ? ROWS : 1); r++) { band.z[r] = bias; band.x[r] = EVERY; }
  band.before = TRANSPOSE ? rows(-1) : 0;
  band.corner = band.h = band.last = bias;
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
// is kept.
template<bool FULL> __device__ __forceinline__ void step(Band& band, const Differences& job, const Way& way, u32 s, u32 above) {
  const u32 lane = threadIdx.x & 31, bias = bias_of(job), raise = job.gap * ONE + bias, most = job.substitute * ONE + bias;
  const u32 received = __shfl_up_sync(EVERY, word(band.h, band.last), 1), upper = lane ? received : above;
  u32 h = lower_half(upper, band.h);
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
  u32 x_above = TRANSPOSE ? band.before ^ b : 0, corner = band.corner, z = 0;
  #pragma unroll
  for (u32 r = 0; r < ROWS; r++) {
    const u32 x = band.a[r] ^ b, v = band.v[r];
    if (TRANSPOSE) {
      // Unequal symbols exceed all costs of an exchange that count.
      const u32 exchange = greater(band.x[r] | x_above, (job.transpose + 2 * job.substitute) * ONE - corner);
      z = least(least(x + bias, most, v), exchange, h);
      corner = band.z[r];
      band.z[r] = masked(z, corner);
      x_above = x;
      band.x[r] = masked(x, band.x[r]);
    } else {
      z = lesser(least(x, v, most), h);
    }
    if (ROWS < 16) {
      // The shortest chain of operations from row to row, because few warps wait for each other.
      const u32 below = z + (raise - v);
      band.v[r] = masked(below + v - h, v);
      h = below;
    } else {
      band.v[r] = masked(z + raise - h, v);
      h = z + raise - v;
    }
  }
  band.corner = next_corner;
  band.h = h;
  band.last = TRANSPOSE ? z : 0;
  const u32 column = s - (LANES - 1);
  if (lane == 31 && (FULL || column < job.n)) post(way.lower + column, word(band.h, band.last));
  if (FULL || !job.tile) return;
  #pragma unroll
  for (u32 half = 0; half < HALVES; half++) {
    const u32 end = s - first_runner() - half + 1;
    if (end - 1 >= job.n - 1 || end % job.tile) continue;
    u32* kept = job.kept_columns + (u64)(end / job.tile - 1) * job.bands * HEIGHT + way.first_kept + half * ROWS;
    #pragma unroll
    for (u32 r = 0; r < ROWS; r++) kept[r] = of_runner(band.v[r], half) | of_runner(band.z[TRANSPOSE ? r : 0], half) << 16;
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
  const u32 lane = threadIdx.x & 31, end = chunks(job), first = job.gap + (TRANSPOSE ? job.substitute : 0);
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
    const u32 column = q * CHUNK + lane, above = way.next;
    if (!way.is_first && column < job.n) {
      if (way.kept_row) way.kept_row[column] = above;
      if (way.clears) post(way.upper + column, EARLY);
    }
    // The last words are written after a fence: see bands.cuh.
    if (q == end - 1) { __syncwarp(); __threadfence(); }
    else way.next = ahead(q + 1);
    const bool full = q * CHUNK >= LANES - 1 && q < inside && !(tile && (q + 1) % tile <= 2);
    if (full) {
      #pragma unroll 2
      for (u32 u = 0; u < CHUNK; u++) step<true>(band, job, way, q * CHUNK + u, __shfl_sync(EVERY, above, u));
    } else {
      #pragma unroll 1
      for (u32 u = 0; u < CHUNK; u++) step<false>(band, job, way, q * CHUNK + u, __shfl_sync(EVERY, above, u));
    }
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
extern "C" __global__ void __launch_bounds__(THREADS, 3) differences(const __grid_constant__ Differences job) {
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
        if (way.first_kept + half * ROWS + r < job.m) sum += (i32)(of_runner(band.v[r], half) - (TRANSPOSE ? job.substitute : 0));
    sum = warp_sum(sum);
    if (!lane) atomicAdd(job.sum, (u64)sum);
  }
  if (job.state) state->ticket = 0;
}
