// Edit distances with unit costs, with or without exchanges of two neighbouring symbols, or lengths of longest common
// subsequences, of many texts with many: the cells of a pair as bits of the words of one thread (Myers 1999; Hyyrö 2003
// for exchanges and 2004 for subsequences).
//
// A warp compares 32·FIELDS rows (texts whose symbols are bits) with one column (a text that is read symbol by symbol).
// A lane has FIELDS rows, each in a field of BITS = 32 / FIELDS bits in each of WORDS words. A row has at most WORDS·BITS
// symbols in a strip; longer rows take several strips, and each strip hands the differences along its last line of
// cells to the next one. Rows of different lengths end at the same bit, because they are padded at their start.
//
// Line i of the cells of a row is bit i / WORDS of word i % WORDS. So the neighbour above is in the word before, without
// a shift; only the first word needs that of the last word, shifted by a bit. The carry from line to line is
//   hn[i] = vp[i] & (eq[i] | hn[i - 1])
// It is computed twice: first the words from no carry, which tells whether a bit of all words generates or passes on a
// carry. One addition then finds the carries into the first word. Then
//   d = eq | vn | hn_above     hn = vp & d     hp = vn | ~(vp | d)     vn' = hp_above & d     vp' = hn_above | ~(d | hp_above)
// which are 6.5 logic operations a word. Moving some of them to the multiplier's pipe, as differences of bits, makes no
// kernel faster, because it takes more instructions and registers.
//
// A padding line has vp = vn = eq = 0 and hands hp = 1 and hn = 0 on, as the first row of the matrix does. The distance
// is the number of columns plus the differences vp - vn in the last column.
//
// An exchange ends in a line if its symbol equals the symbol before in the column's text, and the symbol of the line above
// equals that of the column. It saves an edit unless d was set in the line above in the column before. So the columns hand on
//   x[i] = eq[i] & ~d[i - 1]
// and the next column takes eq[i] | (eq[i - 1] & x[i]) in place of eq[i], which are 3 more operations a word.
//
// For a subsequence, c[i] = v[i] & (eq[i] | c[i - 1]) is the carry of v + (v & eq), and v' = c_above | (v & ~eq). The
// length is the number of zeros in v; a padding line keeps v = 1 and hands on no carry.
//
// The words eq of each symbol are in shared memory: [symbol][word][lane], and after them the words vp of column 0.
// The host defines WORDS, FIELDS, LCS, EXCHANGES, THREADS, STOP, DONE, KEPT, SAID, OVER and WISH.

typedef unsigned short u16;

constexpr u32 BITS = 32 / FIELDS, LINES = WORDS * BITS, FIELD = BITS == 32 ? EVERY : (1u << (BITS & 31)) - 1;
constexpr u32 LOWEST = EVERY / FIELD, HIGHEST = LOWEST << (BITS - 1); // the lowest and the highest bit of each field
constexpr u32 INNER = FIELDS == 1 ? EVERY : ~HIGHEST;                 // bits whose carry stays in their field
constexpr u32 UNROLLED = WORDS <= 4 ? 4 : 1;                            // pairs of columns without a branch
constexpr u32 ROWS = 32 * FIELDS;                                      // rows of a group
constexpr u32 HANDED = EXCHANGES ? 4 : 2;                              // words that a strip hands on for 32 columns

// `places` has the position of the first symbol of each text in units of 8 symbols. `rows` and `columns` have the numbers
// of texts. The score of row i and column j is at j · stride + first + i of `scores`. A group of ROWS rows and `chunk`
// columns is an item, which a block draws by a ticket.
struct Sweep {
  const u16* symbols; const u32* places; const u32* lens; const u32* rows; const u32* columns; void* scores; u32* borders;
  u32* ticket; u64* control; u64* board; u64 counts;
  u32 members; u32 length; u32 chunk; u32 chunks; u32 items; u32 strips; u32 alphabet; u32 stride; u32 first; u32 is_narrow;
  u32 room; u32 look; u32 weight; u32 spare;
};

// Differences above the first line in the lowest bit of each field, and for exchanges eq and d of the line above.
struct Carry { u32 p, n, equal, d; };

struct State {
  u32 p[WORDS], n[LCS ? 1 : WORDS], x[EXCHANGES ? WORDS : 1]; // vp or v, vn, and x

  __device__ __forceinline__ void begin(const u32* initial) {
    #pragma unroll
    for (u32 w = 0; w < WORDS; w++) {
      p[w] = LCS ? EVERY : initial[w * 32];
      if constexpr (!LCS) n[w] = 0;
      if constexpr (EXCHANGES) x[w] = 0;
    }
  }

  // Returns the word w of a column for the second time. Many words are loaded again, because registers do not suffice for
  // them and the state.
  static __device__ __forceinline__ u32 again(const u32* equal, u32 w) {
    return WORDS > 20 ? *(const volatile u32*)(equal + w * 32) : equal[w * 32];
  }

  // Returns `equal` of word w, or also the lines in which an exchange ends. `above` is `equal` of the lines above.
  __device__ __forceinline__ u32 matches(u32 w, u32 equal, u32 above) const {
    if constexpr (EXCHANGES) return equal | (above & x[w]);
    return equal;
  }

  // Takes the column whose words of equal symbols are at `equal`. Replaces the differences above the first line in
  // `edge` by those of the last line, in the highest bit of each field.
  __device__ __forceinline__ void column(const u32* equal, Carry& edge) {
    u32 generated = 0, passed = EVERY, eq_above = 0;
    if constexpr (EXCHANGES) eq_above = (equal[(WORDS - 1) * 32] << 1 & ~LOWEST) | edge.equal;
    const u32 eq_above_first = eq_above;
    #pragma unroll
    for (u32 w = 0; w < WORDS; w++) {
      const u32 eq = equal[w * 32];
      generated = p[w] & (matches(w, eq, eq_above) | generated);
      passed &= p[w];
      eq_above = eq;
    }
    const u32 either = (generated | passed) & INNER, both = generated & INNER;
    const u32 carries = (either + both + edge.n) ^ either ^ both;
    u32 hn = carries;
    if constexpr (LCS) {
      #pragma unroll
      for (u32 w = 0; w < WORDS; w++) {
        const u32 v = p[w], eq = again(equal, w);
        p[w] = hn | (v & ~eq);
        hn = v & (eq | hn);
      }
      edge.n = hn;
    } else {
      u32 hp = 0, first_d = 0, first_eq = 0, d_above = 0;
      eq_above = eq_above_first;
      #pragma unroll
      for (u32 w = 0; w < WORDS; w++) {
        const u32 eq = again(equal, w), matching = matches(w, eq, eq_above), d = matching | n[w] | hn;
        const u32 hn_below = p[w] & (matching | hn), hp_below = n[w] | ~(p[w] | d);
        if (w) { n[w] = hp & d; p[w] = hn | ~(d | hp); } else first_d = d;
        if constexpr (EXCHANGES) {
          if (w) x[w] = eq & ~d_above; else first_eq = eq;
        }
        hn = hn_below; hp = hp_below; eq_above = eq; d_above = d;
      }
      const u32 above = hp << 1 | edge.p;
      n[0] = above & first_d;
      p[0] = carries | ~(first_d | above);
      if constexpr (EXCHANGES) {
        x[0] = first_eq & ~((d_above << 1 & ~LOWEST) | edge.d);
        edge.equal = eq_above; edge.d = d_above;
      }
      edge.p = hp; edge.n = hn;
    }
  }

  // Adds the score's part in each field to `sums`: vp - vn, or the number of zeros.
  __device__ __forceinline__ void add_to(i32 (&sums)[FIELDS]) const {
    u32 words[WORDS];
    #pragma unroll
    for (u32 w = 0; w < WORDS; w++) words[w] = LCS ? ~p[w] : p[w];
    count(words, sums, 1);
    if constexpr (!LCS) {
      #pragma unroll
      for (u32 w = 0; w < WORDS; w++) words[w] = n[w];
      count(words, sums, -1);
    }
  }

  static __device__ __forceinline__ void count(const u32 (&words)[WORDS], i32 (&sums)[FIELDS], i32 sign) {
    #pragma unroll
    for (u32 w = 0; w < WORDS; w += FIELDS) {
      u32 a[4];
      #pragma unroll
      for (u32 k = 0; k < 4; k++) a[k] = k < FIELDS && w + k < WORDS ? words[w + k] : 0;
      if (FIELDS == 4) { // bytes of four words, by fields
        const u32 low = __byte_perm(a[0], a[1], 0x5140), other_low = __byte_perm(a[2], a[3], 0x5140);
        const u32 high = __byte_perm(a[0], a[1], 0x7362), other_high = __byte_perm(a[2], a[3], 0x7362);
        a[0] = __byte_perm(low, other_low, 0x5410); a[1] = __byte_perm(low, other_low, 0x7632);
        a[2] = __byte_perm(high, other_high, 0x5410); a[3] = __byte_perm(high, other_high, 0x7632);
      }
      if (FIELDS == 2) {
        const u32 low = __byte_perm(a[0], a[1], 0x5410);
        a[1] = __byte_perm(a[0], a[1], 0x7632); a[0] = low;
      }
      #pragma unroll
      for (u32 k = 0; k < FIELDS; k++) sums[k] += sign * (i32)__popc(a[k]);
    }
  }
};

// Writes the words of strip `strip` of a group to shared memory. All threads of the block must call it.
__device__ __forceinline__ void tabulate(const Sweep& job, u32* table, u32 group, u32 strip) {
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  u32* const initial = table + job.alphabet * (WORDS * 32);
  __syncthreads();
  for (u32 i = threadIdx.x; i < job.alphabet * (WORDS * 32); i += blockDim.x) table[i] = 0;
  for (u32 w = warp; w < WORDS; w += warps) initial[w * 32 + lane] = 0;
  __syncthreads();
  #pragma unroll
  for (u32 field = 0; field < FIELDS; field++) {
    const u32 member = group * ROWS + field * 32 + lane;
    const u32 text = member < job.members ? job.rows[member] : 0, len = member < job.members ? job.lens[text] : 0;
    const u16* const symbols = job.symbols + (size_t)job.places[text] * 8;
    const u32 padding = job.strips * LINES - len;
    for (u32 line = warp; line < LINES; line += warps) {
      const u32 at = strip * LINES + line;
      if (at < padding) continue;
      const u32 word = line % WORDS, bit = 1u << (field * BITS + line / WORDS);
      atomicOr(table + ((u32)__ldg(symbols + (at - padding)) * WORDS + word) * 32 + lane, bit);
      atomicOr(initial + word * 32 + lane, bit);
    }
  }
  __syncthreads();
}

// Computes a column in one strip. With STRIPS, the differences along the strip's last line are in `border`, a word of
// hp and a word of hn for each 32 columns, first column in the highest bit. For exchanges, words of eq and d follow.
template<bool STRIPS> __device__ __forceinline__ void sweep_column(State& state, const u16* symbols, u32 n, const u32* table, u32 strip, u32* border) {
  const u32* ahead_of = (const u32*)symbols;
  u32 two = __ldg(ahead_of++);
  auto take = [&](u32 symbol, Carry& edge) { state.column(table + symbol * (WORDS * 32), edge); };
  if constexpr (!STRIPS) {
    auto one = [&](u32 symbol) { Carry edge = {LCS ? 0 : LOWEST, 0, 0, 0}; take(symbol, edge); };
    #pragma unroll UNROLLED
    for (u32 j = 0; j < n >> 1; j++) {
      const u32 now = two;
      two = __ldg(ahead_of++);
      one(now & 0xffff);
      one(now >> 16);
    }
    if (n & 1) one(two & 0xffff);
  } else {
    #pragma unroll 1
    for (u32 from = 0; from < n; from += 32, border += HANDED * 32) {
      u32 in_p = EVERY, in_n = 0, in_equal = 0, in_d = 0, out_p = 0, out_n = 0, out_equal = 0, out_d = 0;
      if (strip) {
        in_p = border[0]; in_n = border[32];
        if constexpr (EXCHANGES) { in_equal = border[64]; in_d = border[96]; }
      }
      const u32 count = min(32u, n - from);
      #pragma unroll 1
      for (u32 k = 0; k < count; k++) {
        Carry edge = {in_p >> 31, in_n >> 31, in_equal >> 31, in_d >> 31};
        in_p <<= 1; in_n <<= 1; in_equal <<= 1; in_d <<= 1;
        take(two & 0xffff, edge);
        two = k & 1 ? __ldg(ahead_of++) : two >> 16;
        out_p = __funnelshift_l(edge.p, out_p, 1);
        out_n = __funnelshift_l(edge.n, out_n, 1);
        if constexpr (EXCHANGES) {
          out_equal = __funnelshift_l(edge.equal, out_equal, 1);
          out_d = __funnelshift_l(edge.d, out_d, 1);
        }
      }
      border[0] = out_p << (32 - count);
      border[32] = out_n << (32 - count);
      if constexpr (EXCHANGES) {
        border[64] = out_equal << (32 - count);
        border[96] = out_d << (32 - count);
      }
    }
  }
}

// Counts progress, and tells the host. Reads there whether all must stop.
__device__ __forceinline__ void report(const Sweep& job, u64 work) {
  const u64 before = atomicAdd(job.control + DONE, work), now = before + work;
  if (now == job.counts) *(volatile u64*)(job.board + OVER) = 1;
  if (before >> job.look == now >> job.look) return;
  *(volatile u64*)(job.board + SAID) = now;
  if (*(volatile u64*)(job.board + WISH)) post(job.control + STOP, 1);
}

template<typename T> __device__ __forceinline__ void put(T* score, i32 part, bool adds) { *score = (adds ? *score : 0) + part; }

// Computes the columns from `from` to before `to`, one a warp, in one strip of a group's rows.
template<bool STRIPS> __device__ __forceinline__ void sweep_item(const Sweep& job, u32* table, u32* next, u32 group, u32 from, u32 to, u32 strip) {
  const u32 lane = threadIdx.x & 31;
  for (;;) {
    u32 column = 0;
    if (!lane) column = atomicAdd(next, 1);
    column = from + __shfl_sync(EVERY, column, 0);
    if (column >= to) break;
    const u32 text = job.columns[column], n = job.lens[text];
    State state;
    state.begin(table + job.alphabet * (WORDS * 32) + lane);
    u32* const border = STRIPS ? job.borders + ((size_t)blockIdx.x * job.chunk + (column - from)) * job.room + lane : nullptr;
    sweep_column<STRIPS>(state, job.symbols + (size_t)job.places[text] * 8, n, table + lane, strip, border);
    i32 sums[FIELDS];
    #pragma unroll
    for (u32 k = 0; k < FIELDS; k++) sums[k] = LCS || strip ? 0 : n;
    state.add_to(sums);
    #pragma unroll
    for (u32 k = 0; k < FIELDS; k++) {
      const u32 member = group * ROWS + k * 32 + lane;
      if (member >= job.members) continue;
      const size_t place = (size_t)column * job.stride + job.first + member;
      if (job.is_narrow) put((u8*)job.scores + place, sums[k], STRIPS && strip);
      else put((u16*)job.scores + place, sums[k], STRIPS && strip);
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) sweep(const __grid_constant__ Sweep job) {
  extern __shared__ u32 table[];
  __shared__ u32 drawn, next;
  u32 tabulated = EVERY;
  for (;;) {
    __syncthreads();
    if (!threadIdx.x) {
      next = 0;
      if (!peek(job.control + STOP)) drawn = atomicAdd(job.ticket, 1);
      else {
        drawn = EVERY;
        if (peek(job.ticket) < job.items) atomicAdd(job.control + KEPT, 1);
      }
    }
    __syncthreads();
    const u32 item = drawn;
    if (item >= job.items) return;
    const u32 group = item / job.chunks, from = item % job.chunks * job.chunk, to = min(from + job.chunk, job.length);
    if (FIELDS > 1 || job.strips == 1) {
      if (tabulated != group) tabulate(job, table, group, 0);
      tabulated = group;
      sweep_item<false>(job, table, &next, group, from, to, 0);
    } else {
      for (u32 strip = 0; strip < job.strips; strip++) {
        if (strip && !threadIdx.x) next = 0;
        tabulate(job, table, group, strip);
        sweep_item<true>(job, table, &next, group, from, to, strip);
        __syncthreads();
      }
    }
    __syncthreads();
    if (!threadIdx.x) report(job, (u64)(to - from) * job.weight);
  }
}
