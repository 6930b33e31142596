// Edit distance of one large pair over a pipeline of warps. Compiled once for every pair of
//   WORDS   K, words of 32 rows that a lane keeps in registers: a warp owns a band of 1024·K rows
//   PLANES  P, bits of a symbol number
//   GROUP   G, steps between two exchanges of bits among the lanes
// with THREADS the largest block; TICKET, STOP, DONE the places of the control words and SAID, OVER, WISH those on the board in
// the host's memory, in 8 bytes.
//
// Rows and columns are padded at their ends with the same number of symbols 0, so that bands are whole; a common suffix does
// not change the distance. What leaves a band is the horizontal differences of its last row: for each block of 32 columns the
// bits hp (D grows by one from the column before) and hn (falls by one), first column in the highest bit, in one 64-bit word
// hn:hp. Memory starts as all ones, which no real word is (hp and hn are never both set), so a word is its own ready flag:
// no fence, no counter. The reader looks one word ahead and waits only when it is too early. The distance at the end of any
// column of a border row is the row's number plus the sum of its differences before it.
//
// Inside a band rows are skewed bit by bit. Row u·K + k of the band is bit u of word k (u = 32·lane + bit), and bit u works on
// column t − 1 − (32 + G)·lane − bit at step t, so the horizontal difference that leaves bit u is what bit u + 1 needs one step
// later: the K words share one shift by a bit, with no carry chain and no masks in memory. What leaves the top bit of a lane is
// collected, and every G steps shuffled to the next lane; that lane is as many steps behind, plus one for the way. Symbols are
// compared by bit planes: ne = (A0^B0) | … | (AP^BP), P operations. On single cells, with e = ~D0, the recurrence is
// v' = e − h, h' = e − v. Keep vz = vp − vn and hz = hp − hn as word numbers: adding vn or hn back leaves no borrow, so plain word
// additions do, and those run on the multiplier's pipe:
//   logic       ne, e = ne & ~vn & ~hn, vn' = hp & (vn|~ne), hn' = vp & (hn|~ne)        P + 3 a word
//   multiplier  vp = vz + vn, vz' = e − hz, hz' = e − vz, hp' = hz' + hn'               4 a word
// Before column 0 the horizontal difference fed in is −1: with v = +1 that is a fixed point whatever the symbols are, so
// filling the pipeline needs no mask. Columns after the last one compute what nobody reads.

constexpr int K = WORDS, P = PLANES, G = GROUP;
constexpr u32 LAG = 32 + G;      // blocks between reading a word of the row above and writing that word of the own row
constexpr u32 REPORT = 64;       // blocks between two reports of progress and looks at the stop word
constexpr u32 LOOK = 14;         // the host's board is looked at once in 2^LOOK counts of progress: 0.1 ms to 70 ms
constexpr u64 EARLY = ~0ull;     // a border word that has not been written
constexpr u64 TOP = 0xffffffffu; // above the first band: D grows by one with every column

// Steps in a row without a branch: the more, the better the assembler hides what a step waits for, until the loop leaves the
// instruction cache: an H200 is fast with 1700 instructions and takes half as long again with 2600.
__device__ constexpr int unrolled() {
  int steps = 32;
  while (steps > 1 && steps * (10 + P + K * (P + 7)) > 2048) steps /= 2;
  return steps;
}

struct Pass { const u32* rows; const u32* text; u64* borders; u32 bands; };
struct Sweep { Pass pass[2]; u64* control; u64* board; u64 counts; u32 words; u32 slots; u32 two; };
struct Strip { const u8* symbols; u32* planes; u32 length; u32 padded; u32 reversed; u32 words; };
struct Cross { const u64* forward; const u64* backward; i64* found; u32 columns; u32 words; u32 slots; i32 first; i32 last; };

__device__ __forceinline__ bool early(u64 word) { return (u32)(word >> 32) & (u32)word; }

// Counts progress. Whoever passes a mark writes it on the board in the host's memory, and reads there whether all shall stop.
__device__ __forceinline__ void report(const Sweep& job, u64 blocks) {
  const u64 before = atomicAdd(job.control + DONE, blocks), now = before + blocks;
  if (now == job.counts) *(volatile u64*)(job.board + OVER) = 1;
  if (before >> LOOK == now >> LOOK) return;
  *(volatile u64*)(job.board + SAID) = now;
  if (*(volatile u64*)(job.board + WISH)) *(volatile u64*)(job.control + STOP) = 1;
}

struct Band {
  u32 A[P][K], Z[K], N[K];      // planes of the rows; vz and vn
  u32 raw[P], cur[P], prev[P];  // planes of the text: as read, and of this block and the one before at this lane's delay
  u32 hp, hn;                   // what leaves the last word of this lane
  u32 ip, in, op, on;           // bits still to come in, the next one highest; the last 32 bits that went out, the newest lowest
  u32 lane, take, two;          // take: 0 in the first lane; two: 2, unknown to the compiler, so that it multiplies

  __device__ __forceinline__ void start(const u32* rows) {
    #pragma unroll
    for (int p = 0; p < P; p++)
    #pragma unroll
    for (int k = 0; k < K; k++) A[p][k] = rows[(p * K + k) * 32 + lane];
    #pragma unroll
    for (int k = 0; k < K; k++) { Z[k] = EVERY; N[k] = 0; }
    #pragma unroll
    for (int p = 0; p < P; p++) raw[p] = cur[p] = prev[p] = 0;
    hp = ip = op = 0; hn = in = on = EVERY;
  }

  // Takes the next 32 columns. A lane's delay is whole blocks, which `run` has seen to, and G·lane mod 32 columns.
  __device__ __forceinline__ void feed(const u32 (&text)[P]) {
    #pragma unroll
    for (int p = 0; p < P; p++) {
      const u32 old = raw[p];
      raw[p] = text[p]; prev[p] = cur[p]; cur[p] = __funnelshift_r(raw[p], old, G * lane & 31);
    }
  }

  __device__ __forceinline__ void step(int r, u32& gp, u32& gn) {
    op = __funnelshift_l(hp, op, 1); on = __funnelshift_l(hn, on, 1);
    hp = __funnelshift_l(ip, hp, 1); hn = __funnelshift_l(in, hn, 1);
    ip = mad(ip, two, 0); in = mad(in, two, 0);
    if (r % G == 0) { // what the lane above sent out in the last G steps comes in from the next step on
      const u32 up = __shfl_up_sync(EVERY, op << (32 - G), 1), un = __shfl_up_sync(EVERY, on << (32 - G), 1);
      ip = mad(up, take, gp); in = mad(un, take, gn);
      gp <<= G; gn <<= G;
    }
    u32 B[P];
    #pragma unroll
    for (int p = 0; p < P; p++) B[p] = __funnelshift_lc(cur[p], prev[p], r);
    u32 hz = minus(hp, hn);
    #pragma unroll
    for (int k = 0; k < K; k++) {
      u32 ne = A[0][k] ^ B[0];
      #pragma unroll
      for (int p = 1; p < P; p++) ne |= A[p][k] ^ B[p];
      const u32 vz = Z[k], vn = N[k], vp = plus(vz, vn), e = ne & ~vn & ~hn;
      Z[k] = minus(e, hz); N[k] = hp & (vn | ~ne);
      hn = vp & (hn | ~ne); hz = minus(e, vz); hp = plus(hz, hn);
    }
  }

  // The 32 steps of a block. `above`: the border word that enters at the band's first row.
  __device__ __forceinline__ void block(u64 above) {
    u32 gp = lane ? 0 : (u32)above, gn = lane ? 0 : (u32)(above >> 32);
    #pragma unroll (unrolled())
    for (int r = 0; r < 32; r++) step(r, gp, gn);
  }

  // Sweeps all columns. False when the stop word was seen.
  __device__ __forceinline__ bool run(const Pass& pass, const Sweep& job, u32 band) {
    const u32* stop = (const u32*)(job.control + STOP);
    u64* upper = pass.borders + (size_t)((band + job.slots - 1) % job.slots) * job.words;
    u64* lower = pass.borders + (size_t)(band % job.slots) * job.words;
    const bool reuse = pass.bands > job.slots;
    const i32 delay = lane + G * lane / 32; // blocks
    u32 text[P];
    #pragma unroll
    for (int p = 0; p < P; p++) text[p] = delay ? 0 : pass.text[p];
    u64 next = band ? peek(upper) : TOP;
    #pragma unroll 1
    for (u32 q = 0; q < job.words + LAG; q++) {
      u64 above = 0;
      if (q < job.words) {
        while (__any_sync(EVERY, early(next))) {
          __nanosleep(20);
          const u32 quit = peek(stop);
          next = peek(upper + q);
          if (__any_sync(EVERY, quit)) return false;
        }
        above = next;
        if (band) {
          if (reuse && !lane) post(upper + q, EARLY);
          if (q + 1 < job.words) next = peek(upper + q + 1);
        }
        if (q % REPORT == REPORT - 1) {
          if (!lane) report(job, REPORT);
          if (__any_sync(EVERY, peek(stop))) return false;
        }
      }
      feed(text);
      const i32 at = (i32)(q + 1) - delay;
      if (at >= 0 && at < (i32)job.words) {
        #pragma unroll
        for (int p = 0; p < P; p++) text[p] = pass.text[(size_t)at * P + p];
      }
      const u32 oldp = op, oldn = on;
      block(above);
      // The last G − 1 bits belong to the next word.
      const u32 wp = __funnelshift_r(op, oldp, G - 1), wn = __funnelshift_r(on, oldn, G - 1);
      if (q >= LAG && lane == 31) post(lower + (q - LAG), (u64)wn << 32 | wp);
    }
    if (!lane) report(job, job.words % REPORT);
    return true;
  }
};

// Every warp takes bands in order until none is left, so whoever writes the row above is already at work: no wait is for ever.
// With two passes the tickets alternate between them. With fewer slots than bands, border rows are used in a ring: a row is
// cleared as it is read. There are more slots than warps, so the reader of the row that a new band overwrites has taken another
// ticket since; its clearing is made visible by the fence before that.
extern "C" __global__ void __launch_bounds__(THREADS, 1) sweep(const Sweep job) {
  Band band;
  band.lane = threadIdx.x & 31; band.take = band.lane ? 1 : 0; band.two = job.two;
  for (;;) {
    __threadfence();
    u32 ticket = band.lane ? 0 : atomicAdd((u32*)(job.control + TICKET), 1);
    ticket = __shfl_sync(EVERY, ticket, 0);
    if (ticket >= job.pass[0].bands + job.pass[1].bands) return;
    const bool two = job.pass[1].bands, second = two && ticket & 1;
    const Pass pass = second ? job.pass[1] : job.pass[0];
    const u32 index = two ? ticket >> 1 : ticket;
    band.start(pass.rows + (size_t)index * P * K * 32);
    if (!band.run(pass, job, index)) return;
  }
}

__device__ __forceinline__ u32 symbol(const Strip& s, u32 i) {
  const u32 at = s.reversed ? s.padded - 1 - i : i; // wraps far above the length when i is past the end
  return at < s.length ? s.symbols[at] : 0;
}

// Bit planes of the rows, as Band::start reads them: a thread makes the P words of one (band, word, lane).
extern "C" __global__ void pack_rows(const Strip s) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x, lane = i & 31, k = i / 32 % K, band = i / 32 / K;
  if (i >= s.words) return;
  u32 word[P] = {};
  for (int u = 0; u < 32; u++) {
    const u32 x = symbol(s, (band * 1024 + lane * 32 + u) * K + k);
    for (int p = 0; p < P; p++) word[p] |= (x >> p & 1) << u;
  }
  for (int p = 0; p < P; p++) s.planes[((size_t)(band * P + p) * K + k) * 32 + lane] = word[p];
}

// Bit planes of the columns, 32 of them a word, the first in the highest bit.
extern "C" __global__ void pack_text(const Strip s) {
  const u32 q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= s.words) return;
  u32 word[P] = {};
  for (int t = 0; t < 32; t++) {
    const u32 x = symbol(s, q * 32 + t);
    for (int p = 0; p < P; p++) word[p] |= (x >> p & 1) << (31 - t);
  }
  for (int p = 0; p < P; p++) s.planes[(size_t)q * P + p] = word[p];
}

__device__ __forceinline__ u64 border(const u64* row, i64 word, u32 words) {
  return row && word >= 0 && word < words ? row[word] : row ? 0 : TOP;
}

// Where an optimal path crosses border rows: a block for each of them looks for the leftmost column c that has the least
// F(r, c) + B(r, columns − c), F from the forward pass and B from the pass over both strings reversed. Rows that both passes
// know pair up as forward row first + i with backward row last − i; last − i = −1 stands for the edge, where B is the number
// of columns left. Writes that least sum, less the number of rows, and c.
extern "C" __global__ void __launch_bounds__(1024) cross(const Cross job) {
  const i32 above = job.first + (i32)blockIdx.x, below = job.last - (i32)blockIdx.x;
  const u64* f = job.forward + (size_t)(above % job.slots) * job.words;
  const u64* b = below < 0 ? nullptr : job.backward + (size_t)(below % job.slots) * job.words;
  const u64 bias = 1u << 31;
  u64 best = bias << 32; // (sum so far, less that at column 0; column), smallest first
  i32 base = 0, right = 0;
  for (u32 tile = 0; tile < job.words; tile += blockDim.x) {
    const u32 w = tile + threadIdx.x;
    i32 sum = 0, low = 0, at = 0, back = 0;
    if (w < job.words) {
      const u32 left = job.columns - w * 32, mask = left >= 32 ? EVERY : EVERY << (32 - left);
      const i64 from = (i64)left - 32; // the backward columns that belong to these end where this block begins
      const u64 hi = border(b, from >> 5, job.words), lo = border(b, (from >> 5) + 1, job.words), here = border(f, w, job.words);
      const u32 fp = (u32)here & mask, fn = (u32)(here >> 32) & mask;
      const u32 bp = __brev(__funnelshift_l((u32)lo, (u32)hi, (u32)from & 31)) & mask;
      const u32 bn = __brev(__funnelshift_l((u32)(lo >> 32), (u32)(hi >> 32), (u32)from & 31)) & mask;
      back = __popc(bp) - __popc(bn);
      for (int t = 0; t < 32; t++) {
        const int s = 31 - t;
        sum += (i32)(fp >> s & 1) - (i32)(fn >> s & 1) - (i32)(bp >> s & 1) + (i32)(bn >> s & 1);
        if (sum < low) { low = sum; at = t + 1; }
      }
    }
    i32 total, rights;
    const i32 start = base + sum_before(sum, total);
    sum_before(back, rights);
    const u64 key = (bias + (i64)(start + low)) << 32 | (w * 32 + at);
    if (low < 0 && key < best) best = key;
    base += total; right += rights;
  }
  best = least(best);
  if (threadIdx.x) return;
  job.found[2 * blockIdx.x] = (i64)(best >> 32) - (i64)bias + right;
  job.found[2 * blockIdx.x + 1] = (i64)(u32)best;
}
