// Rows as masks and columns as digits: the common part of kernels whose lanes hold adjacent rows and process 16 columns
// at a time. Lane l is a group of 16 columns behind lane l − 1. This file precedes the file of the recurrence. The host
// defines
//   WORDS   K, words of 32 rows that a lane holds in registers: a warp has a band of 1024·K rows
//   BITS    bits of a digit: 2 or 4
//   PLANES  bits of a symbol number, BITS for each of its digits
//   GROUP   G, columns that a lane processes before it passes on its results: 16
//
// The rows with a column's symbol are looked up in shared memory, as [digit][value][K / 4][lane] of 16 bytes, or
// [digit][value][lane] of fewer. An entry has the rows whose symbol has that digit, so the intersection over the
// column's digits gives the rows with its symbol. Digits are extracted, and addresses computed, on the multiplier's
// pipe.

constexpr int K = WORDS, G = GROUP, DIGITS = PLANES / BITS, VALUES = 1 << BITS;
constexpr int VECTOR = K < 4 ? K : 4;       // words that one access reads
constexpr int READ = G * BITS / 32;         // words of a digit in a group of columns
constexpr u32 ROW = K * 32 * 4;             // bytes between the masks of two values
constexpr i64 HEIGHT = 1024 * K;
constexpr u32 LAG = 16, TEXT_WORDS = 2 * READ * DIGITS;
constexpr bool FILLS = true;

__device__ __forceinline__ u32 place(u32 lane, u32 k, u32 bit) { return (lane * K + k) * 32 + bit; }

extern __shared__ uint4 masks[];

struct Digits {
  u32 text[DIGITS * READ];      // symbols of the next group of columns, the first one's digit in the highest bits
  u32 now[DIGITS];              // digits of the columns that are looked up next
  u32 lane, two, at, step, row; // two, row: known only to the host, so that the multiplier computes addresses
  i32 next;                     // group of this lane that comes next, from the first block of the band
  u32 end;                      // end of the groups

  // Builds the masks. Rows that a separate plane marks as padding match nothing, if there is such a plane.
  __device__ __forceinline__ void mask(const u32* rows, bool pads) {
    u32* own = (u32*)masks + threadIdx.x / 32 * (DIGITS * VALUES * ROW / 4) + lane * VECTOR;
    at = (u32)__cvta_generic_to_shared(own);
    row = two * (ROW / 2); step = 1;
    #pragma unroll
    for (int b = 0; b < BITS; b++) step *= two;
    #pragma unroll
    for (int k = 0; k < K; k++) {
      const u32 valid = pads ? rows[(PLANES * K + k) * 32 + lane] : EVERY;
      for (int d = 0; d < DIGITS; d++) {
        u32 plane[BITS];
        #pragma unroll
        for (int b = 0; b < BITS; b++) plane[b] = rows[((d * BITS + b) * K + k) * 32 + lane];
        #pragma unroll
        for (int v = 0; v < VALUES; v++) {
          u32 m = valid;
          #pragma unroll
          for (int b = 0; b < BITS; b++) m &= v >> b & 1 ? plane[b] : ~plane[b];
          own[(d * VALUES + v) * (ROW / 4) + k / VECTOR * VECTOR * 32 + k % VECTOR] = m;
        }
      }
    }
  }

  // Starts at block `from` of `words` blocks.
  __device__ __forceinline__ void open(const u32*& columns, u32 from, u32 words) {
    columns += (size_t)from * TEXT_WORDS;
    next = -(i32)lane; end = 2 * (words - from);
    read(columns);
  }

  __device__ __forceinline__ void read(const u32* columns) {
    const u32 group = next++;
    if (group < end) {
      #pragma unroll
      for (int i = 0; i < DIGITS * READ; i++) text[i] = columns[group * (DIGITS * READ) + i];
    }
  }

  // Looks up the rows of this lane that have the symbol of column c of a group. Columns must be looked up in order.
  __device__ __forceinline__ void look(const u32 (&digits)[DIGITS * READ], int c, u32 (&rows)[K]) {
    #pragma unroll
    for (int d = 0; d < DIGITS; d++) {
      if (c % (G / READ) == 0) now[d] = digits[d * READ + c / (G / READ)];
      const u64 split = (u64)now[d] * step; // the digit, and the remaining digits below
      const u32 a = mad((u32)(split >> 32), row, at) + d * (VALUES * ROW);
      now[d] = (u32)split;
      #pragma unroll
      for (int k = 0; k < K; k += VECTOR) {
        u32 m[4];
        const u32 from = a + k * 128;
        if (VECTOR == 1) asm volatile("ld.shared.u32 %0,[%1];" : "=r"(m[0]) : "r"(from));
        if (VECTOR == 2) asm volatile("ld.shared.v2.u32 {%0,%1},[%2];" : "=r"(m[0]), "=r"(m[1]) : "r"(from));
        if (VECTOR == 4) asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3]) : "r"(from));
        #pragma unroll
        for (int w = 0; w < VECTOR; w++) rows[k + w] = d ? rows[k + w] & m[w] : m[w];
      }
    }
  }
};

// Processes the next group of columns of a lane, for a Band that derives from Digits. The band processes them in
// `columns(digits, in, record)`, and leaves in `out` the input of the next lane. `entering` is the input of the first
// lane.
template<bool RECORDS, bool FULL, class Band> __device__ __forceinline__ void group(Band& band, const u32* text_of, u32 entering, u32* record) {
  u32 digits[DIGITS * READ];
  #pragma unroll
  for (int i = 0; i < DIGITS * READ; i++) digits[i] = band.text[i];
  const bool begun = band.next > 0; // `next` is one ahead
  band.read(text_of);
  const u32 up = __shfl_up_sync(EVERY, band.out, 1), in = band.lane ? up : entering;
  if (FULL) band.template columns<RECORDS>(digits, in, record);
  else {
    if (begun) band.template columns<RECORDS>(digits, in, record);
    __syncwarp();
  }
}

// Writes for each of the two groups some words for each digit, with the first column's digit in the highest bits.
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
