// Longest common subsequence as bands of a pipeline (bands.cuh), after Hyyrö (2004), on the carry chain of an addition.
// Compiled once for every choice of the constants of digits.cuh.
//
// A bit of V is 0 where L increases from the row above to this one. A column takes three operations for each word:
//   t = V & M    S = V + t + carry    V' = S | (V & ~t)
// M has the rows with the column's symbol. A carry out of the last row means that L increases there from the previous
// column to this one. This carry is the border's bit hp; hn is never set. The cost that paths minimize is −L.
//
// The rows of a lane are adjacent, so the carry propagates within its K words. M is looked up (digits.cuh). Rows after
// the last one match nothing: carries pass through them unchanged.

constexpr u64 TOP = 0;
constexpr i32 SIGN = -1, PADS = 1;
constexpr i64 RISE = 0;
constexpr u32 RECORD = 32 * K; // V

struct Band : Digits {
  u32 V[K];
  u32 out, half; // carries out of this lane in the last group; those of the first half of a border word

  __device__ __forceinline__ void start(const u32* rows) {
    mask(rows, PADS);
    #pragma unroll
    for (int k = 0; k < K; k++) V[k] = EVERY;
    out = half = 0;
  }

  // Processes the 16 columns of a group, with the carries that enter at its first row.
  template<bool RECORDS> __device__ __forceinline__ void columns(const u32 (&digits)[DIGITS * READ], u32 in, u32* record) {
    in <<= 16; out = 0;
    #pragma unroll
    for (int c = 0; c < G; c++) {
      u32 t[K], S[K];
      look(digits, c, t);
      #pragma unroll
      for (int k = 0; k < K; k++) t[k] &= V[k];
      asm volatile("add.cc.u32 %0,%0,%0;" : "+r"(in));
      #pragma unroll
      for (int k = 0; k < K; k++) asm volatile("addc.cc.u32 %0,%1,%2;" : "=r"(S[k]) : "r"(V[k]), "r"(t[k]));
      asm volatile("addc.u32 %0,%0,%0;" : "+r"(out));
      #pragma unroll
      for (int k = 0; k < K; k++) V[k] = S[k] | (V[k] & ~t[k]);
      if (RECORDS) {
        #pragma unroll
        for (int k = 0; k < K; k += 4) ((uint4*)record)[(c * (K / 4) + k / 4) * 32 + lane] = make_uint4(V[k], V[k + 1], V[k + 2], V[k + 3]);
      }
    }
  }

  // Processes two groups, with the border word that enters at the first row. Returns the border word that leaves lane
  // 31, of the block LAG before.
  template<bool RECORDS, bool FULL> __device__ __forceinline__ u64 block(const u32* text_of, u64 above, u32* record) {
    u32 below = half << 16;
    // A loop would take half the time to compile, but up to 1.35 times as long to run (H200).
    #pragma unroll
    for (int g = 0; g < 2; g++) {
      group<RECORDS, FULL>(*this, text_of, g ? (u32)above & 0xffff : (u32)above >> 16, record + g * G * RECORD);
      if (!g) below |= out;
    }
    half = out;
    return below;
  }
};

// The path comes from above if L does not increase down the column; otherwise from the left if L increases down the
// previous column as well.
__device__ __forceinline__ void came(const u32* record, u32 row, u32 column, bool& above, bool& left) {
  const u32 lane = row / (32 * K), k = row / 32 % K, bit = row % 32;
  const u32* at = record + (((size_t)(column + G * lane) * (K / 4) + k / 4) * 32 + lane) * 4 + k % 4;
  above = *at >> bit & 1;
  left = !above && column && !(*(at - RECORD) >> bit & 1);
}
