// Longest common subsequence as bands of a pipeline (bands.cuh), after Hyyrö (2004), on the carry chain of an addition. Compiled
// once for every choice of
//   WORDS   K, words of 32 rows that a lane keeps in registers: a warp owns a band of 1024·K rows
//   BITS    bits of a digit: 2 or 4
//   PLANES  bits of a symbol number, BITS for each of its digits
//   GROUP   G, columns that a lane works on before it hands its carries over: 16
//
// A bit of V is 0 where L grows from the row above to this one. A column costs three operations a word:
//   t = V & M    S = V + t + carry    V' = S | (V & ~t)
// M has the rows that hold the column's symbol. The carry that leaves the last row says that L grows there from the column before
// to this one: that is the border's bit hp; hn is never set. What costs decide by is −L.
//
// The rows of a lane are neighbours, so the carry does the work inside its K words; lane l works on 16 columns, one group behind
// lane l − 1. M is looked up in shared memory, as [digit][value][4 words][lane] of 16 bytes: the rows whose symbol has that digit,
// so that the masks of the column's digits together leave the rows with its symbol. Its address is made on the multiplier's pipe.
// Rows after the last one match nothing: what comes in at the top of them goes out below.

constexpr int K = WORDS, G = GROUP, DIGITS = PLANES / BITS, VALUES = 1 << BITS;
constexpr int READ = G * BITS / 32;         // words of a digit in a group of columns
constexpr u32 ROW = K / 4 * 32 * 16;        // bytes between the masks of two values
constexpr i64 HEIGHT = 1024 * K;
constexpr u32 LAG = 16, TEXT_WORDS = 2 * READ * DIGITS;
constexpr u64 TOP = 0;
constexpr i32 SIGN = -1, PADS = 1;
constexpr i64 RISE = 0;
constexpr u32 RECORD = 32 * K; // V

__device__ __forceinline__ u32 place(u32 lane, u32 k, u32 bit) { return (lane * K + k) * 32 + bit; }

extern __shared__ uint4 masks[];

struct Band {
  u32 V[K];
  u32 text[DIGITS * READ];      // symbols of the next group of columns, the first one's digit in the highest bits
  u32 carry, half;              // carries that left this lane in the last group; those of the first half of a border word
  u32 lane, two, at, step, row; // two, row: known to the host only, so that the multiplier makes addresses
  i32 next, end;                // group of this lane that comes next, and where groups end, from the first block of the band

  __device__ __forceinline__ void start(const u32* rows) {
    uint4* own = masks + threadIdx.x / 32 * (DIGITS * VALUES * ROW / 16) + lane;
    at = (u32)__cvta_generic_to_shared(own);
    row = two * (ROW / 2); step = 1;
    #pragma unroll
    for (int b = 0; b < BITS; b++) step *= two;
    #pragma unroll
    for (int k = 0; k < K; k += 4) {
      u32 valid[4];
      #pragma unroll
      for (int w = 0; w < 4; w++) valid[w] = rows[(PLANES * K + k + w) * 32 + lane];
      for (int d = 0; d < DIGITS; d++) {
        u32 plane[BITS][4];
        #pragma unroll
        for (int b = 0; b < BITS; b++)
        #pragma unroll
        for (int w = 0; w < 4; w++) plane[b][w] = rows[((d * BITS + b) * K + k + w) * 32 + lane];
        #pragma unroll
        for (int v = 0; v < VALUES; v++) {
          u32 m[4];
          #pragma unroll
          for (int w = 0; w < 4; w++) {
            m[w] = valid[w];
            #pragma unroll
            for (int b = 0; b < BITS; b++) m[w] &= v >> b & 1 ? plane[b][w] : ~plane[b][w];
          }
          own[(d * VALUES + v) * (ROW / 16) + k / 4 * 32] = make_uint4(m[0], m[1], m[2], m[3]);
        }
      }
    }
    #pragma unroll
    for (int k = 0; k < K; k++) V[k] = EVERY;
    carry = half = 0;
  }

  __device__ __forceinline__ void open(const u32*& columns, u32 from, u32 words) {
    columns += (size_t)from * TEXT_WORDS;
    next = -(i32)lane; end = 2 * (words - from);
    read(columns);
  }

  __device__ __forceinline__ void read(const u32* columns) {
    if (next >= 0 && next < end) {
      #pragma unroll
      for (int i = 0; i < DIGITS * READ; i++) text[i] = columns[(size_t)next * (DIGITS * READ) + i];
    }
    next++;
  }

  // The 16 columns of a group, whose symbols are in `digits` and whose incoming carries in the upper half of `in`.
  template<bool RECORDS> __device__ __forceinline__ void columns(const u32 (&digits)[DIGITS * READ], u32 in, u32* record) {
    u32 now[DIGITS];
    carry = 0;
    #pragma unroll
    for (int c = 0; c < G; c++) {
      u32 t[K];
      #pragma unroll
      for (int d = 0; d < DIGITS; d++) {
        if (c % (G / READ) == 0) now[d] = digits[d * READ + c / (G / READ)];
        const u32 a = mad(now[d] >> (32 - BITS), row, at) + d * (VALUES * ROW);
        now[d] = mad(now[d], step, 0);
        #pragma unroll
        for (int k = 0; k < K; k += 4) {
          u32 m[4];
          asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3]) : "r"(a + k / 4 * 512));
          #pragma unroll
          for (int w = 0; w < 4; w++) t[k + w] = (d ? t[k + w] : V[k + w]) & m[w];
        }
      }
      u32 S[K];
      asm volatile("add.cc.u32 %0,%0,%0;" : "+r"(in));
      #pragma unroll
      for (int k = 0; k < K; k++) asm volatile("addc.cc.u32 %0,%1,%2;" : "=r"(S[k]) : "r"(V[k]), "r"(t[k]));
      asm volatile("addc.u32 %0,%0,%0;" : "+r"(carry));
      #pragma unroll
      for (int k = 0; k < K; k++) V[k] = S[k] | (V[k] & ~t[k]);
      if (RECORDS) {
        #pragma unroll
        for (int k = 0; k < K; k += 4) ((uint4*)record)[(c * (K / 4) + k / 4) * 32 + lane] = make_uint4(V[k], V[k + 1], V[k + 2], V[k + 3]);
      }
    }
  }

  template<bool RECORDS> __device__ __forceinline__ void group(const u32* text_of, u32 above, bool all, u32* record) {
    u32 digits[DIGITS * READ];
    #pragma unroll
    for (int i = 0; i < DIGITS * READ; i++) digits[i] = text[i];
    const bool begun = next > 0; // `next` is one ahead
    read(text_of);
    const u32 up = __shfl_up_sync(EVERY, carry, 1), in = (lane ? up : above) << 16;
    if (all) columns<RECORDS>(digits, in, record);
    else {
      if (begun) columns<RECORDS>(digits, in, record);
      __syncwarp();
    }
  }

  // Two groups, with the border word that enters at the first row. Returns the one that leaves lane 31, of the block LAG before.
  template<bool RECORDS> __device__ __forceinline__ u64 block(const u32* text_of, u64 above, u32* record) {
    const bool all = __all_sync(EVERY, next > 0);
    u32 below = half << 16;
    #pragma unroll 1
    for (int g = 0; g < 2; g++) {
      group<RECORDS>(text_of, g ? (u32)above & 0xffff : (u32)above >> 16, all, record + g * G * RECORD);
      if (!g) below |= carry;
    }
    half = carry;
    return below;
  }
};

// From above where L does not grow down the column; else from the left where it grows down the column before as well.
__device__ __forceinline__ void came(const u32* record, u32 row, u32 column, bool& above, bool& left) {
  const u32 lane = row / (32 * K), k = row / 32 % K, bit = row % 32;
  const u32* at = record + (((size_t)(column + G * lane) * (K / 4) + k / 4) * 32 + lane) * 4 + k % 4;
  above = *at >> bit & 1;
  left = !above && column && !(*(at - RECORD) >> bit & 1);
}

// For each of the two groups a number of words a digit, the first column's in the highest bits.
template<class Strip> __device__ __forceinline__ void pack(const Strip& s, i64 first, u32* out) {
  for (int g = 0; g < 2; g++)
  for (int d = 0; d < DIGITS; d++)
  for (int i = 0; i < READ; i++) {
    u32 word = 0;
    for (int c = 0; c < G / READ; c++) {
      u32 x;
      symbol(s, first + g * G + i * (G / READ) + c, x);
      word = word << BITS | (x >> d * BITS & (VALUES - 1));
    }
    *out++ = word;
  }
}
