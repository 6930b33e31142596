// Edit distance as bands of a pipeline (bands.cuh), on the carry chain of an addition, after Myers (1999) and Hyyrö
// (2003). Compiled once for every choice of the constants of digits.cuh.
//
// The rows of a lane are adjacent and all at the same column, so a lane is 16 columns behind the one above. This is
// half the lag of rows that are skewed bit by bit (skewed.cu): a step waits less, and takes fewer operations if symbols
// have many bits. With more words for each lane, the skewed rows need fewer operations.
//
// Rows and columns are padded at their ends with the same number of symbols 0, so that bands are whole; a common suffix
// does not change the distance. In a search (FREE), rows that match nothing are added on top instead. P and N have the
// rows where D increases or decreases from the row above; M has those with the column's symbol.
//   t = M & P    S = P + t + carry       the carries are where D decreases from the previous column to this one: h−
//   h− = S ^ P ^ t    e = ~(M | h− | N)  a bit of h− belongs to the row above; e: the diagonal step costs one
//   h+ of this row = N | (e & ~P)        h+ = that shifted by a row, with the input
//   P' = h− | (e & ~h+)    N' = h+ & ~e
// The carry in is h− of the row above the lane, the carry out that of its last row.

#ifdef FREE
constexpr u64 TOP = 0; // a path may start at any column
constexpr i32 PADS = 1;
#else
constexpr u64 TOP = 0xffffffffu; // the cost increases by one with every column
constexpr i32 PADS = 0;
#endif
constexpr i32 SIGN = 1;
constexpr i64 RISE = HEIGHT;
constexpr u32 RECORD = 64 * K; // vp and vn
constexpr int AHEAD = K < 4 ? 4 : 1; // columns by which masks are read ahead

struct Band : Digits {
  u32 P[K], N[K];
  u32 out, half; // bits that left this lane in the last group, h+ over h−; those of the first half of a border word

  __device__ __forceinline__ void start(const u32* rows) {
    mask(rows, PADS);
    #pragma unroll
    for (int k = 0; k < K; k++) { P[k] = EVERY; N[k] = 0; }
    out = half = 0;
  }

  // Processes a column with the rows `m`. The next input bits are the highest ones; the last output bits are the
  // lowest.
  __device__ __forceinline__ void column(const u32 (&m)[K], u32& ip, u32& in, u32& op, u32& on) {
    u32 t[K], S[K], h[K], e[K], o[K];
    #pragma unroll
    for (int k = 0; k < K; k++) t[k] = m[k] & P[k];
    asm volatile("add.cc.u32 %0,%0,%0;" : "+r"(in));
    #pragma unroll
    for (int k = 0; k < K; k++) asm volatile("addc.cc.u32 %0,%1,%2;" : "=r"(S[k]) : "r"(P[k]), "r"(t[k]));
    asm volatile("addc.u32 %0,%0,%0;" : "+r"(on));
    #pragma unroll
    for (int k = 0; k < K; k++) {
      h[k] = logic<0x96>(S[k], P[k], t[k]);  // S ^ P ^ t
      e[k] = logic<0x01>(m[k], h[k], N[k]);  // ~(m | h | N)
      // With one word, each operation waits for the previous one. Then N | ~(S | P | m) is ready sooner than the equal
      // N | (e & ~P), although it takes an operation more. With more words, the logic pipe is always busy.
      o[k] = K == 1 ? logic<0xf1>(N[k], S[k], P[k] | m[k]) : logic<0xf4>(N[k], e[k], P[k]);
    }
    #pragma unroll
    for (int k = 0; k < K; k++) {
      const u32 hp = __funnelshift_l(k ? o[k - 1] : ip, o[k], 1);
      N[k] = hp & ~e[k];
      P[k] = logic<0xf4>(h[k], e[k], hp); // h | (e & ~hp)
    }
    ip = mad(ip, two, 0);
    op = K == 1 ? __funnelshift_l(o[K - 1], op, 1) : mad(op, two, 0) + __umulhi(o[K - 1], two);
  }

  // Processes the 16 columns of a group, with the input at its first row.
  template<bool RECORDS> __device__ __forceinline__ void columns(const u32 (&digits)[DIGITS * READ], u32 entering, u32* record) {
    u32 ip = entering, in = entering << 16, op = 0, on = 0, m[AHEAD + 1][K];
    #pragma unroll
    for (int c = 0; c < G + AHEAD; c++) {
      if (c < G) look(digits, c, m[c % (AHEAD + 1)]);
      if (c < AHEAD) continue;
      column(m[(c - AHEAD) % (AHEAD + 1)], ip, in, op, on);
      if (RECORDS) {
        #pragma unroll
        for (int k = 0; k < K; k++) ((uint2*)record)[((c - AHEAD) * K + k) * 32 + lane] = make_uint2(P[k], N[k]);
      }
    }
    out = op << 16 | on;
  }

  // Processes two groups, with the border word that enters at the first row. Returns the border word that leaves lane
  // 31, of the block LAG before.
  template<bool RECORDS, bool FULL> __device__ __forceinline__ u64 block(const u32* text_of, u64 above, u32* record) {
    const u32 hp = (u32)above, hn = (u32)(above >> 32), before = half;
    u32 first;
    // A loop would take half the time to compile, but up to 1.35 times as long to run (H200).
    #pragma unroll
    for (int g = 0; g < 2; g++) {
      group<RECORDS, FULL>(*this, text_of, g ? hp << 16 | hn & 0xffff : hp & 0xffff0000 | hn >> 16, record + g * G * RECORD);
      if (!g) first = out;
    }
    half = out;
    return (u64)(before << 16 | first & 0xffff) << 32 | (before & 0xffff0000 | first >> 16);
  }
};

// The path comes from above if D increases by one down the column; otherwise from the left if D decreases by one down
// the previous column.
__device__ __forceinline__ void came(const u32* record, u32 row, u32 column, bool& above, bool& left) {
  const u32 lane = row / (32 * K), k = row / 32 % K, bit = row % 32;
  const uint2* at = (const uint2*)record + ((size_t)(column + G * lane) * K + k) * 32 + lane;
  const u32 vp = at->x >> bit & 1, vn = column ? (at - K * 32)->y >> bit & 1 : 0;
  above = vp; left = !vp && vn;
}
