// Edit distance as bands of a pipeline (bands.cuh), with rows skewed bit by bit. Compiled once for every choice of
//   WORDS   K, words of 32 rows that a lane holds in registers: a warp has a band of 1024·K rows
//   PLANES  P, bits of a symbol number
//   GROUP   G, steps between two exchanges of bits among the lanes
//
// Rows and columns are padded at their ends with the same number of symbols 0, so that bands are whole; a common suffix
// does not change the distance.
//
// Row u·K + k of the band is bit u of word k (u = 32·lane + bit). Bit u processes column t − 1 − (32 + G)·lane − bit at
// step t, so the horizontal difference that leaves bit u is the input of bit u + 1 one step later. The K words share
// one shift by a bit, without a carry chain and without masks in memory. The output of a lane's top bit is collected,
// and shuffled to the next lane every G steps; the next lane is the corresponding number of steps behind. Symbols are
// compared by bit planes: ne = (A0^B0) | … | (AP^BP), P operations. For single cells, with e = ~D0, the recurrence is
// v' = e − h, h' = e − v. The code stores vz = vp − vn and hz = hp − hn as integers: adding vn or hn back leaves no
// borrow, so plain word additions suffice, and those run on the multiplier's pipe:
//   logic       ne, e = ne & ~vn & ~hn, vn' = hp & (vn|~ne), hn' = vp & (hn|~ne)        P + 3 a word
//   multiplier  vp = vz + vn, vz' = e − hz, hz' = e − vz, hp' = hz' + hn'               4 a word
// Before the first column the horizontal input is −1. With v = +1 this is a fixed point for any symbols, so filling the
// pipeline needs no mask. The results of columns after the last one are unused.

constexpr int K = WORDS, P = PLANES, G = GROUP;
constexpr i64 HEIGHT = 1024 * K;
constexpr u32 LAG = 32 + G, TEXT_WORDS = P;
constexpr u64 TOP = 0xffffffffu; // the cost increases by one with every column
constexpr i32 SIGN = 1, PADS = 0;
constexpr bool FILLS = false;
constexpr i64 RISE = HEIGHT;
constexpr u32 RECORD = 64 * K; // vp and vn

// Number of consecutive steps without a branch. More steps let the assembler hide more latency, until the loop exceeds
// the instruction cache.
__device__ constexpr int unrolled() {
  int steps = 32;
  while (steps > 1 && steps * (10 + P + K * (P + 7)) > 2048) steps /= 2;
  return steps;
}

__device__ __forceinline__ u32 place(u32 lane, u32 k, u32 bit) { return (lane * 32 + bit) * K + k; }

struct Band {
  u32 A[P][K], Z[K], N[K];      // planes of the rows; vz and vn
  u32 text[P];                  // planes of the next block of columns at this lane's delay in whole blocks
  u32 raw[P], cur[P], prev[P];  // planes of the last block; of this block and the previous one at this lane's whole delay
  u32 hp, hn;                   // differences that leave the last word of this lane
  u32 ip, in, op, on;           // bits still to come in, the next one highest; the last 32 bits that went out, the newest lowest
  u32 lane, take, two;          // take: 0 in the first lane; two: 2, unknown to the compiler, so that it multiplies
  i32 next, end;                // next block of this lane to read, and end of the blocks, from the first block of the band

  __device__ __forceinline__ void start(const u32* rows) {
    take = lane ? 1 : 0;
    #pragma unroll
    for (int p = 0; p < P; p++)
    #pragma unroll
    for (int k = 0; k < K; k++) A[p][k] = rows[(p * K + k) * 32 + lane];
    #pragma unroll
    for (int k = 0; k < K; k++) { Z[k] = EVERY; N[k] = 0; }
    #pragma unroll
    for (int p = 0; p < P; p++) text[p] = raw[p] = cur[p] = prev[p] = 0;
    hp = ip = op = 0; hn = in = on = EVERY;
  }

  // Starts at block `from` of `words` blocks.
  __device__ __forceinline__ void open(const u32*& columns, u32 from, u32 words) {
    columns += (size_t)from * P;
    next = -(i32)(lane + G * lane / 32); end = words - from;
    read(columns);
  }

  __device__ __forceinline__ void read(const u32* columns) {
    if (next >= 0 && next < end) {
      #pragma unroll
      for (int p = 0; p < P; p++) text[p] = columns[(size_t)next * P + p];
    }
    next++;
  }

  // Takes the next 32 columns. A lane's delay consists of whole blocks, which `next` includes, and G·lane mod 32
  // columns.
  __device__ __forceinline__ void feed() {
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
    if (r % G == 0) { // bits that the lane above sent in the last G steps enter from the next step on
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

  // Executes the 32 steps of a block, with the border word that enters at the first row. Returns the border word that
  // leaves the last row of lane 31, of the block LAG before.
  template<bool RECORDS, bool FULL> __device__ __forceinline__ u64 block(const u32* columns, u64 above, u32* record) {
    feed();
    read(columns);
    u32 gp = lane ? 0 : (u32)above, gn = lane ? 0 : (u32)(above >> 32);
    const u32 oldp = op, oldn = on;
    #pragma unroll (RECORDS ? 1 : unrolled())
    for (int r = 0; r < 32; r++) {
      step(r, gp, gn);
      if (RECORDS) {
        #pragma unroll
        for (int k = 0; k < K; k++) ((uint2*)record)[(r * K + k) * 32 + lane] = make_uint2(Z[k] + N[k], N[k]);
      }
    }
    // The last G − 1 bits belong to the next word.
    return (u64)__funnelshift_r(on, oldn, G - 1) << 32 | __funnelshift_r(op, oldp, G - 1);
  }
};

// The path comes from above if D increases by one down the column; otherwise from the left if D decreases by one down
// the previous column.
__device__ __forceinline__ void came(const u32* record, u32 row, u32 column, bool& above, bool& left) {
  const u32 u = row / K, lane = u / 32, bit = u % 32;
  const uint2* at = (const uint2*)record + ((size_t)(column + 1 + (32 + G) * lane + bit) * K + row % K) * 32 + lane;
  const u32 vp = at->x >> bit & 1, vn = column ? (at - K * 32)->y >> bit & 1 : 0;
  above = vp; left = !vp && vn;
}

// Writes a word for each plane, with the first column in the highest bit.
template<class Strip> __device__ __forceinline__ void pack(const Strip& s, i64 first, u32* out) {
  u32 word[P] = {};
  for (int t = 0; t < 32; t++) {
    u32 x;
    symbol(s, first + t, x);
    #pragma unroll
    for (int p = 0; p < P; p++) word[p] |= (x >> p & 1) << (31 - t);
  }
  #pragma unroll
  for (int p = 0; p < P; p++) out[p] = word[p];
}
