// Search for many short patterns in one text, within a number of edits for each (Myers 1999).
//
// A lane holds WORDS patterns, each as the 32 rows of a word; a group has 32·WORDS patterns. A warp reads a chunk of the
// text symbol by symbol, all its lanes the same one. Column j of a pattern's matrix follows from column j - 1:
//   t = eq & vp          s = t + vp           hn_above = s ^ t ^ vp      d = eq | vn | hn_above
//   hp = vn | ~(d | vp)  hp_above = hp << 1   vp' = hn_above | ~(d | hp_above)   vn' = hp_above & d
// The words eq of each symbol are in shared memory: [symbol][half of the words][lane][2]. After those of the symbols come the
// words vp of column 0, and then the bound of each pattern.
//
// A pattern of fewer than 32 symbols has padding rows above it, which match every symbol and have vp = vn = 0. Row 0 is 0
// everywhere, so that the distance in column j is the number of bits of vp less that of vn. It is compared with the bound
// after every SPACING columns only. Neighbouring distances differ by at most 1. So if a distance within k ends in one of
// the SPACING columns, the last one has a distance of at most k + SPACING - 1, which is the bound. The column is then a
// candidate. Of a longer pattern, the word has the last 32 symbols: its distance is at most that of the whole pattern.
//
// A chunk begins `lead` columns before its own ones, with the first column of a matrix. Distances within the bound are
// exact there, because a substring within k edits of r rows has at most r + k symbols. Borders between records match no
// row; candidates across them are dropped by the check.
//
// A warp gathers candidates in shared memory. Each lane then checks one of them with the whole pattern of up to 64
// symbols, from the first column that matters on, and begins anew at a border. For an end within k edits it reads the
// text backwards with the reversed pattern, until the global distance is that of the end: this is the greatest start.
// A hit is 18 bits of the pattern, 32 of the end, 7 of the length and 6 of the distance, the highest first.
//
// The host defines WORDS, SPACING, THREADS, STOP, DONE, KEPT, SAID, OVER and WISH.

constexpr u32 LANES = 32 * WORDS, WARPS = THREADS / 32;
constexpr u32 ROOM = 32 + LANES;    // candidates of a warp
constexpr u32 SLOT_BITS = 9;        // of a pattern's number in its group

// Columns of the text from `begin` to before `end` are searched. A chunk for each warp and a group of patterns are an item,
// which a block draws by a ticket. `limits` has the length of each pattern and its k, and `masks` its rows of each symbol,
// then those of the reversed pattern.
struct Search {
  const u8* text; const u32* tables; const u32* limits; const u64* masks; u64* hits; u64* found; u32* ticket;
  u64* control; u64* board; u64 counts;
  u32 begin; u32 end; u32 chunk; u32 runs; u32 items; u32 lead; u32 alphabet; u32 border; u32 capacity; u32 first; u32 look; u32 spare;
};

// Computes the next column of a pattern.
__device__ __forceinline__ void step(u32& vp, u32& vn, u32 eq) {
  const u32 t = eq & vp, s = plus(t, vp), hn = s ^ t ^ vp, d = eq | vn | hn;
  const u32 hp = vn | ~(d | vp), above = plus(hp, hp);
  vp = hn | ~(d | above); vn = above & d;
}

// A column of up to 64 rows, and the distance in its last row.
struct Column {
  u64 p, n, top; i32 value;
  __device__ __forceinline__ void begin(u32 rows) { p = ~0ull; n = 0; top = 1ull << (rows - 1); value = (i32)rows; }
  // Computes the next column. `edge` is the difference along row 0.
  __device__ __forceinline__ void step(u64 eq, u64 edge) {
    const u64 d = (((eq & p) + p) ^ p) | eq | n;
    u64 hp = n | ~(d | p), hn = p & d;
    value += (hp & top ? 1 : 0) - (hn & top ? 1 : 0);
    hp = hp << 1 | edge; hn <<= 1;
    p = hn | ~(d | hp); n = hp & d;
  }
};

__device__ __forceinline__ bool is_full(const Search& job) { return peek(job.found) > job.capacity; }

// Appends the hit of `pattern` that ends before column `end` with the distance `distance`.
__device__ __forceinline__ void append(const Search& job, u32 pattern, const u64* reversed, u32 rows, u32 reach, u32 end, i32 distance) {
  Column column;
  column.begin(rows);
  u32 length = 0;
  const u32 most = min(reach, end);
  while (column.value != distance && length < most) {
    length++;
    column.step(__ldg(reversed + __ldg(job.text + (end - length))), 1);
  }
  const u64 place = atomicAdd(job.found, 1ull);
  if (place < job.capacity) job.hits[place] = (u64)(job.first + pattern) << 45 | (u64)end << 13 | (u64)length << 6 | (u64)distance;
}

// Checks the ends up to the column of a candidate.
__device__ __forceinline__ void verify(const Search& job, u32 group, u32 from, u32 to, u32 candidate) {
  const u32 pattern = group * LANES + (candidate & ((1u << SLOT_BITS) - 1)), last = from + (candidate >> SLOT_BITS);
  const u32 limits = job.limits[pattern], rows = limits & 0xff, k = limits >> 8, reach = rows + k;
  const u32 first = last - (SPACING - 1), stop = min(last, to);
  const u64* const masks = job.masks + (size_t)pattern * 2 * job.alphabet;
  Column column;
  column.begin(rows);
  #pragma unroll 1
  for (u32 at = first > reach ? first - reach : 0; at < stop; at++) {
    const u32 symbol = __ldg(job.text + at);
    if (symbol == job.border) { column.begin(rows); continue; }
    column.step(__ldg(masks + symbol), 0);
    if (at + 1 >= first && column.value <= (i32)k) append(job, pattern, masks + job.alphabet, rows, reach, at + 1, column.value);
  }
}

// Searches for the patterns of a group in the columns from `from` to before `to`. `table` has the words of this lane.
__device__ __forceinline__ void search_chunk(const Search& job, const uint2* table, u32* queue, u32 group, u32 from, u32 to) {
  const u32 lane = threadIdx.x & 31, below = (1u << lane) - 1, symbol_words = LANES / 2;
  u32 vp[WORDS], vn[WORDS];
  i32 bound[WORDS];
  #pragma unroll
  for (u32 w = 0; w < WORDS; w += 2) {
    const uint2 initial = table[job.alphabet * symbol_words + w * 16], bounds = table[(job.alphabet + 1) * symbol_words + w * 16];
    vp[w] = initial.x; vp[w + 1] = initial.y; vn[w] = vn[w + 1] = 0;
    bound[w] = (i32)bounds.x; bound[w + 1] = (i32)bounds.y;
  }
  const u32 start = from > job.lead ? from - job.lead : 0;
  const uint4* source = (const uint4*)(job.text + start);
  uint4 next = __ldg(source++);
  u32 count = 0;
  #pragma unroll 1
  for (u32 at = start; at < to; at += 16) {
    uint4 now = next;
    next = __ldg(source++);
    #pragma unroll 1
    for (u32 done = at; done < at + 16; done += 4) {
      const u32 four = now.x;
      now.x = now.y; now.y = now.z; now.z = now.w;
      #pragma unroll
      for (u32 c = 0; c < 4; c++) {
        const uint2* const equal = table + (four >> 8 * c & 0xff) * symbol_words;
        #pragma unroll
        for (u32 w = 0; w < WORDS; w += 2) {
          const uint2 eq = equal[w * 16];
          step(vp[w], vn[w], eq.x);
          step(vp[w + 1], vn[w + 1], eq.y);
        }
        if ((c + 1) % SPACING) continue;
        i32 above[WORDS], least = 1;
        #pragma unroll
        for (u32 w = 0; w < WORDS; w++) {
          above[w] = (i32)__popc(vp[w]) - (i32)__popc(vn[w]) - bound[w];
          least = min(least, above[w]);
        }
        const u32 column = done + c + 1;
        if (!__any_sync(EVERY, least <= 0) || column <= from || column >= to + SPACING) continue;
        #pragma unroll
        for (u32 w = 0; w < WORDS; w++) {
          const bool is_candidate = above[w] <= 0;
          const u32 lanes = __ballot_sync(EVERY, is_candidate);
          if (is_candidate) queue[count + __popc(lanes & below)] = (column - from) << SLOT_BITS | (w * 32 + lane);
          count += __popc(lanes);
        }
        __syncwarp();
        if (count >= 32) {
          const bool drops = __any_sync(EVERY, is_full(job));
          while (count >= 32) {
            count -= 32;
            if (!drops) verify(job, group, from, to, queue[count + lane]);
          }
          __syncwarp();
        }
      }
    }
  }
  if (lane < count) verify(job, group, from, to, queue[lane]);
  __syncwarp();
}

// Counts an item, and tells the host. Reads there whether all must stop.
__device__ __forceinline__ void report(const Search& job) {
  const u64 now = atomicAdd(job.control + DONE, 1ull) + 1;
  if (now == job.counts) *(volatile u64*)(job.board + OVER) = 1;
  if ((now - 1) >> job.look == now >> job.look) return;
  *(volatile u64*)(job.board + SAID) = now;
  if (*(volatile u64*)(job.board + WISH)) post(job.control + STOP, 1);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2) search(const __grid_constant__ Search job) {
  extern __shared__ uint4 shared[];
  __shared__ u32 drawn;
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, group_words = (job.alphabet + 2) * LANES;
  u32* const table = (u32*)shared;
  u32* const queue = table + group_words + warp * ROOM;
  u32 tabulated = EVERY;
  for (;;) {
    __syncthreads();
    if (!threadIdx.x) {
      if (is_full(job)) { // the host repeats everything
        drawn = EVERY;
        *(volatile u64*)(job.board + OVER) = 1;
      } else if (!peek(job.control + STOP)) drawn = atomicAdd(job.ticket, 1);
      else {
        drawn = EVERY;
        if (peek(job.ticket) < job.items) atomicAdd(job.control + KEPT, 1ull);
      }
    }
    __syncthreads();
    const u32 item = drawn;
    if (item >= job.items) return;
    const u32 group = item / job.runs;
    if (group != tabulated) {
      for (u32 i = threadIdx.x; i < group_words; i += THREADS) table[i] = __ldg(job.tables + (size_t)group * group_words + i);
      __syncthreads();
      tabulated = group;
    }
    const u64 from = job.begin + (u64)(item % job.runs * WARPS + warp) * job.chunk;
    if (from < job.end) search_chunk(job, (const uint2*)table + lane, queue, group, (u32)from, (u32)min((u64)job.end, from + job.chunk));
    __syncthreads();
    if (!threadIdx.x) report(job);
  }
}
