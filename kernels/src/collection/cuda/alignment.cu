// Scores of the best alignments of many texts with many, with affine gaps: global (Gotoh 1982) or local (Smith and Waterman
// 1981), two pairs in the halves of a register.
//
// A group of `lanes` lanes compares a row (a text of the tile) with two columns. A lane has R lines of cells in registers,
// and is one column of cells behind the lane before it, from which it receives the line above by two shuffles. Rows are
// padded at their start, so that the last line is always the last one of the last lane. Padding lines repeat the first
// line of the matrix.
//
// With open = o, extend = x, and s the points of two symbols:
//   global  every line and column adds x, so that extending a gap costs nothing:
//           t = H[above left] + s    h = max(E, F, t)    H = h - o          E = max(E, H)        F = max(F, H)
//   local   t = H[above left] + s    h = max(E, F, t)    H = h - o - x      E = max(E - x, H)    F = max(F - x, H, zero)
// H is stored less the cost of a gap, and the points are raised by that. F never falls below the level of zero, so that
// neither h nor the best score needs another maximum. One addition of 32 bits serves both halves while the lower one
// stays positive; therefore values have a bias. t is the last operand of the maximum, because otherwise the assembler
// joins the addition and a maximum to one instruction of the busier pipe.
//
// The points of a row are in shared memory: [code][slot][words of 16 bytes], the number of words odd, so that 8
// neighbouring lanes read different banks whatever their codes are. BY_PAIR: a code is a pair of letters of both columns,
// and a word has the points of both for 4 lines. Otherwise a code is a letter, and a word has the bytes for 16 lines.
//
// The host defines R, GLOBAL, BY_PAIR, THREADS, STOP, DONE, KEPT, SAID, OVER and WISH.

typedef unsigned short u16;

constexpr u32 LINES_PER_WORD = BY_PAIR ? 4 : 16, WORDS = (R + LINES_PER_WORD - 1) / LINES_PER_WORD, STEP = 16 * (WORDS | 1);

// `texts` has the codes of each two columns from their place in `starts` on, a word for each column of cells, and `ends`
// the lengths of both columns. `points` are raised, for a letter of a row and a letter of a column. The score of row i
// and column j is at j · stride + first + i of `scores`.
struct Align {
  const u16* symbols; const u32* places; const u32* lens; const u8* letters; const i32* points; const u32* rows;
  const u32* texts; const u32* starts; const u32* ends; i32* scores; u32* ticket; u64* control; u64* board; u64 counts;
  u32 members; u32 length; u32 pairs; u32 chunk; u32 chunks; u32 items; u32 lanes; u32 alphabet;
  u32 stride; u32 first; i32 open; i32 extend; u32 look; u32 weight;
};

__device__ __forceinline__ u32 twice(i32 value) { return (u32)(value & 0xffff) * 0x10001u; } // a value in both halves
__device__ __forceinline__ void pin(u32& value) { asm volatile("" : "+r"(value)); }           // fixes the order of values

// Adds both halves. The addition has a pipe of its own from Hopper on.
__device__ __forceinline__ u32 add_halves(u32 a, u32 b) {
#if __CUDA_ARCH__ >= 900
  u32 sum;
  asm volatile("add.s16x2 %0,%1,%2;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
#else
  return __vadd2(a, b);
#endif
}

__device__ __forceinline__ u32 select_bytes(u32 a, u32 b, u32 selector) {
  u32 selected;
  asm("prmt.b32 %0,%1,%2,%3;" : "=r"(selected) : "r"(a), "r"(b), "r"(selector));
  return selected;
}

// Costs in both halves: what H is less than h; the negative cost of an extension, and the cost; the level of zero.
struct Costs { u32 gap, extend, step, zero; };

// Takes a column of cells. `diagonal` is H above left of the first line, `f` enters the first line and leaves the last.
template<class Points> __device__ __forceinline__ void column(u32 (&H)[R], u32 (&E)[R], u32 diagonal, u32& f, u32& best, const Costs& costs, Points&& points) {
  u32 t = add_halves(diagonal, points(0)), last = 0;
  #pragma unroll
  for (u32 r = 0; r < R; r++) {
    const u32 h = __vimax3_s16x2(E[r], f, t);
    if (r + 1 < R) { t = add_halves(H[r], points(r + 1)); pin(t); } // before H[r] is overwritten, because that saves a move
    u32 g = plus(h, 0u - costs.gap);
    pin(g);
    H[r] = g;
    if (GLOBAL) {
      E[r] = __vmaxs2(E[r], g);
      f = __vmaxs2(f, g);
    } else {
      E[r] = __viaddmax_s16x2(E[r], costs.extend, g);
      f = __vimax3_s16x2(plus(f, 0u - costs.step), g, costs.zero);
      if (r & 1) best = __vimax3_s16x2(best, h, last); else if (r + 1 == R) best = __vmaxs2(best, h);
      last = h;
    }
  }
}

// Writes the points of a row to shared memory. All threads of the block must call it.
__device__ __forceinline__ void tabulate(const Align& job, u32* table, u32 text, u32 slots) {
  const u32 m = job.lens[text], padding = job.lanes * R - m, letters = job.alphabet + 1, codes = BY_PAIR ? letters * letters : letters;
  const u16* const symbols = job.symbols + (size_t)job.places[text] * 8;
  auto points = [&](u32 line, u32 letter) {
    if (line < padding || line >= job.lanes * R || letter == job.alphabet) return 0;
    return __ldg(job.points + (u32)__ldg(job.letters + __ldg(symbols + (line - padding))) * job.alphabet + letter);
  };
  __syncthreads();
  for (u32 i = threadIdx.x; i < codes * slots * WORDS * 4; i += blockDim.x) {
    const u32 part = i % 4, word = i / 4 % WORDS, slot = i / 4 / WORDS % slots, code = i / 4 / WORDS / slots, lane = slot % job.lanes;
    u32 value = 0;
    if (BY_PAIR) {
      const u32 r = 4 * word + part;
      if (r < R) value = (u32)(points(lane * R + r, code / letters) & 0xffff) | (u32)points(lane * R + r, code % letters) << 16;
    } else {
      for (u32 byte = 0; byte < 4; byte++) {
        const u32 r = 16 * word + 4 * part + byte;
        if (r < R) value |= (u32)(points(lane * R + r, code) & 0xff) << 8 * byte;
      }
    }
    table[(code * slots + slot) * (STEP / 4) + 4 * word + part] = value;
  }
  __syncthreads();
}

// Counts progress, and tells the host. Reads there whether all must stop.
__device__ __forceinline__ void report(const Align& job, u64 work) {
  const u64 before = atomicAdd(job.control + DONE, work), now = before + work;
  if (now == job.counts) *(volatile u64*)(job.board + OVER) = 1;
  if (before >> job.look == now >> job.look) return;
  *(volatile u64*)(job.board + SAID) = now;
  if (*(volatile u64*)(job.board + WISH)) post(job.control + STOP, 1);
}

// Computes the scores of a row with the two columns of each group of lanes, from pair `task` · 32 / lanes on.
__device__ __forceinline__ void align(const Align& job, const u32* table, u32 row, u32 m, u32 task, u32 slots) {
  const u32 lane = threadIdx.x & 31, lanes = job.lanes, sub = lane % lanes, pair = task * (32 / lanes) + lane / lanes;
  const bool is_there = pair < job.pairs;
  const u32 both = is_there ? job.ends[pair] : 0, n1 = both & 0xffff, n2 = both >> 16, n = max(n1, n2);
  u32 longest = n;
  for (u32 d = 16; d; d >>= 1) longest = max(longest, __shfl_xor_sync(EVERY, longest, d));
  const i32 open = job.open, extend = job.extend, gap = GLOBAL ? open : open + extend, bias = GLOBAL ? 3 * open : open + 2 * extend;
  const u32 padding = lanes * R - m;
  const Costs costs = {twice(gap), twice(-extend), twice(extend), twice(bias)};
  u32 H[R], E[R];
  // Column 0 of the matrix. Padding lines repeat its first line, whose last cell before the text is the corner.
  auto first_h = [&](u32 line) { return twice(bias - (!GLOBAL ? gap : line == padding - 1 ? open : 2 * open)); };
  #pragma unroll
  for (u32 r = 0; r < R; r++) {
    const u32 line = sub * R + r;
    H[r] = first_h(line);
    E[r] = twice(bias - (!GLOBAL ? gap : line < padding ? open : 2 * open));
  }
  const u32 top = twice(bias - (GLOBAL ? 2 * open : gap)), top_f = GLOBAL ? top : twice(bias);
  u32 diagonal = first_h(sub * R - 1), f = 0, bottom = 0, best = twice(bias), low = 0, high = 0;
  const u32* text = job.texts + (is_there ? job.starts[pair] : 64) - sub;
  const char* const own = (const char*)table + (lanes < 8 ? lane & 7 : sub) * STEP;
  const u32 code_step = slots * STEP;
  const bool is_ragged = GLOBAL && __any_sync(EVERY, n1 != n2);
  u32 code = *text;
  #pragma unroll 1
  for (u32 step = 0; step + 1 < longest + lanes; step++) {
    u32 above = __shfl_up_sync(EVERY, bottom, 1), f_above = __shfl_up_sync(EVERY, f, 1);
    const u32 now = code, at = step - sub;
    if (!sub) { above = top; f_above = top_f; }
    code = *++text;
    if (at < n) {
      if (BY_PAIR) {
        u32 points[WORDS * 4];
        const uint4* const words = (const uint4*)(own + now * code_step);
        #pragma unroll
        for (u32 w = 0; w < WORDS; w++) { const uint4 word = words[w]; points[4 * w] = word.x; points[4 * w + 1] = word.y; points[4 * w + 2] = word.z; points[4 * w + 3] = word.w; }
        column(H, E, diagonal, f_above, best, costs, [&](u32 r) { return points[r]; });
      } else {
        u32 one[WORDS * 4], other[WORDS * 4];
        const uint4* const words = (const uint4*)(own + (now & 0xffff) * code_step);
        const uint4* const others = (const uint4*)(own + (now >> 16) * code_step);
        #pragma unroll
        for (u32 w = 0; w < WORDS; w++) {
          const uint4 a = words[w], b = others[w];
          one[4 * w] = a.x; one[4 * w + 1] = a.y; one[4 * w + 2] = a.z; one[4 * w + 3] = a.w;
          other[4 * w] = b.x; other[4 * w + 1] = b.y; other[4 * w + 2] = b.z; other[4 * w + 3] = b.w;
        }
        column(H, E, diagonal, f_above, best, costs, [&](u32 r) {
          const u32 k = r & 3;
          return select_bytes(one[r / 4], other[r / 4], k | (8 | k) << 4 | (4 + k) << 8 | (12 + k) << 12);
        });
      }
      f = f_above; bottom = H[R - 1]; diagonal = above;
      if (GLOBAL && is_ragged) {
        if (at == n1 - 1) low = bottom & 0xffff;
        if (at == n2 - 1) high = bottom >> 16;
      }
    }
  }
  if (GLOBAL) {
    if (!is_ragged) { low = bottom & 0xffff; high = bottom >> 16; }
  } else {
    for (u32 d = 1; d < lanes; d *= 2) best = __vmaxs2(best, __shfl_xor_sync(EVERY, best, d));
    low = best & 0xffff; high = best >> 16;
  }
  if (!is_there || sub != lanes - 1) return;
  auto put = [&](u32 column, u32 n, u32 value) {
    if (column >= job.length) return;
    i32 score = (i32)value - bias;
    if (GLOBAL) {
      score += open - extend * (i32)(m + n);
      if (!n) score = m ? -open - extend * (i32)m : 0;
    }
    job.scores[(size_t)column * job.stride + job.first + row] = score;
  };
  put(2 * pair, n1, low);
  put(2 * pair + 1, n2, high);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) sweep(const __grid_constant__ Align job) {
  extern __shared__ u32 table[];
  __shared__ u32 drawn;
  const u32 slots = max(job.lanes, 8u), per_task = 32 / job.lanes, tasks = (job.pairs + per_task - 1) / per_task;
  u32 tabulated = EVERY;
  for (;;) {
    __syncthreads();
    if (!threadIdx.x) {
      if (!peek(job.control + STOP)) drawn = atomicAdd(job.ticket, 1);
      else {
        drawn = EVERY;
        if (peek(job.ticket) < job.items) atomicAdd(job.control + KEPT, 1);
      }
    }
    __syncthreads();
    const u32 item = drawn;
    if (item >= job.items) return;
    const u32 row = item / job.chunks, text = job.rows[row], m = job.lens[text], from = item % job.chunks * job.chunk, to = min(from + job.chunk, tasks);
    if (row != tabulated) tabulate(job, table, text, slots);
    tabulated = row;
    for (u32 task = from + (threadIdx.x >> 5); task < to; task += blockDim.x >> 5) align(job, table, row, m, task, slots);
    __syncthreads();
    if (!threadIdx.x) report(job, (u64)(to - from) * job.weight);
  }
}

// Joins the letters of each two columns to codes. A block takes a pair. Columns beyond the end of their text have a letter
// of their own, without points.
struct Join { const u16* symbols; const u32* places; const u8* letters; const u32* columns; const u32* starts; const u32* ends; u32* texts; u32 length; u32 alphabet; };

extern "C" __global__ void __launch_bounds__(128) join(const __grid_constant__ Join job) {
  const u32 pair = blockIdx.x, both = job.ends[pair], n1 = both & 0xffff, n2 = both >> 16;
  const u32 one = job.columns[2 * pair], other = 2 * pair + 1 < job.length ? job.columns[2 * pair + 1] : one;
  auto letter = [&](u32 text, u32 n, u32 at) { return at < n ? (u32)job.letters[job.symbols[(size_t)job.places[text] * 8 + at]] : job.alphabet; };
  for (u32 at = threadIdx.x; at < max(n1, n2); at += blockDim.x) {
    const u32 x = letter(one, n1, at), y = letter(other, n2, at);
    job.texts[job.starts[pair] + at] = BY_PAIR ? x * (job.alphabet + 1) + y : x | y << 16;
  }
}
