// Approximate search: the distance of a pattern to the nearest substring that ends at each position of a text. Compiled
// for
//   WORDS   K, words of 32 rows that a lane holds in registers
//   PLANES  P, bits of a code
//   GROUPED whether several lanes share a slice
//   GROUP   steps between two exchanges of bits among those lanes
// and THREADS, the largest block.
//
// The text is divided into slices that exchange no bits. A slice starts `lead` words before its own columns. A
// substring within g edits of the pattern has at most m + g symbols. So with a lead of that number of columns, every
// value up to g is exact, and larger values are upper bounds above g. The host chooses g, and runs again if no value is
// within g.
//
// `lanes` G lanes share a slice. Rows and bits are arranged as in the sweep of the edit distance: row u·K + k is bit u
// of word k, bit u processes column t − 1 − u at step t, and one shift for each step and word moves the horizontal
// differences. Differences are stored as numbers, so that half of the work runs on the multiplier's pipe. The output of
// a lane's top bit is collected, and shuffled to the next lane every GROUP steps; the next lane is 32 + GROUP columns
// behind. The differences of the last row are written in whole words, delayed by the corresponding number of blocks of
// 32 columns.
//
// Row 0 costs nothing: the horizontal input is 0, and −1 before the text, which leaves columns at v = +1. Padding rows
// are on top and match nothing: they add their number to every value, which is subtracted again.
//
// A slice writes the differences of the last row, 32 columns in each word with the first one highest, and the value
// before each word.

constexpr int K = WORDS, P = PLANES;

// Hides the exclusive or from the assembler. Otherwise it would move a single one into each of its three uses, with two
// operations each, and lengthen the critical path to the next word.
__device__ __forceinline__ u32 unequal(u32 a, u32 b) { u32 d; asm("lop3.b32 %0,%1,%2,0,0x3c;" : "=r"(d) : "r"(a), "r"(b)); return d; }

struct Slices {
  const u32* planes; const u32* rows; uint2* last; i32* values; u32* found;
  i32 words; i32 columns; i32 m; i32 own; i32 lead; i32 skip; i32 lanes;
  u32 two; // 2, unknown to the compiler, so that it multiplies
};

extern "C" __global__ void __launch_bounds__(THREADS) slices(const __grid_constant__ Slices job) {
  const i32 lane = threadIdx.x & 31, G = GROUPED ? job.lanes : 1, g = GROUPED ? lane & (G - 1) : 0;
  const i32 slice = (blockIdx.x * (THREADS / 32) + threadIdx.x / 32) * (32 / G) + lane / G;
  const i32 first = job.skip + slice * job.own, start = first - job.lead; // words
  u32 A[P][K], Z[K], N[K];
  #pragma unroll
  for (int k = 0; k < K; k++) {
    #pragma unroll
    for (int p = 0; p < P; p++) A[p][k] = job.rows[(p * K + k) * G + g];
    Z[k] = EVERY; N[k] = 0;
  }
  u32 raw[P] = {}, cur[P] = {}, prev[P], next[P];
  u32 hp = 0, hn = EVERY, ip = 0, in = EVERY, op = 0, on = EVERY, before_p = 0, before_n = 0;
  const u32 take = g ? 1 : 0;
  // Columns between reading a column and having the last row's difference in the lowest bit of `op`; the same in whole
  // blocks; and the surplus.
  const i32 behind = GROUPED ? 33 + (32 + GROUP) * (G - 1) : 32, delay = (behind + 31) / 32, over = delay * 32 - behind;
  const i32 late = GROUPED ? g + GROUP * g / 32 : 0; // number of blocks by which this lane is behind
  const i32 blocks = job.lead + job.own + delay, begins = max(-start, 0);
  i32 value = job.m, least = job.m;
  auto fetch = [&](i32 q) {
    const i32 w = start + q - late;
    #pragma unroll
    for (int p = 0; p < P; p++) next[p] = q >= late && w >= 0 && w < job.words ? __ldg(job.planes + (size_t)w * P + p) : 0;
  };
  fetch(0);
  #pragma unroll 1
  for (i32 q = 0; q < blocks; q++) {
    #pragma unroll
    for (int p = 0; p < P; p++) {
      const u32 old = raw[p];
      raw[p] = next[p]; prev[p] = cur[p]; cur[p] = GROUPED ? __funnelshift_r(raw[p], old, GROUP * g & 31) : raw[p];
    }
    fetch(q + 1);
    const u32 edge = q < begins && !g ? EVERY : 0;
    #pragma unroll (UNROLLED)
    for (int r = 0; r < 32; r++) {
      op = __funnelshift_l(hp, op, 1); on = __funnelshift_l(hn, on, 1);
      if (GROUPED) {
        hp = __funnelshift_l(ip, hp, 1); hn = __funnelshift_l(in, hn, 1);
        ip = mad(ip, job.two, 0); in = mad(in, job.two, 0);
        if (r % GROUP == 0) { // bits that the lane above sent in the last steps enter from the next step on
          const u32 up = __shfl_up_sync(EVERY, op << (32 - GROUP), 1), un = __shfl_up_sync(EVERY, on << (32 - GROUP), 1);
          ip = mad(up, take, 0); in = mad(un, take, edge);
        }
      } else {
        hp <<= 1; hn = __funnelshift_l(edge, hn, 1);
      }
      u32 B[P];
      #pragma unroll
      for (int p = 0; p < P; p++) B[p] = __funnelshift_lc(cur[p], prev[p], GROUPED ? r : r + 1);
      u32 hz = minus(hp, hn);
      #pragma unroll
      for (int k = 0; k < K; k++) {
        u32 ne = unequal(A[0][k], B[0]);
        #pragma unroll
        for (int p = 1; p < P; p++) ne |= A[p][k] ^ B[p];
        const u32 vz = Z[k], vn = N[k], vp = plus(vz, vn), e = ne & ~vn & ~hn;
        Z[k] = minus(e, hz); N[k] = hp & (vn | ~ne);
        hn = vp & (hn | ~ne); hz = minus(e, vz); hp = plus(hz, hn);
      }
    }
    const u32 wp = __funnelshift_r(op, before_p, over), wn = __funnelshift_r(on, before_n, over);
    before_p = op; before_n = on;
    const i32 w = start + q - delay;
    if (g == G - 1 && q >= delay && w >= 0 && w < job.words) {
      if (w >= first) {
        job.last[w] = make_uint2(wp, wn); job.values[w] = value;
        if (w + 1 == job.words) job.values[w + 1] = value + __popc(wp) - __popc(wn);
        least = min(least, value);
        if (value - __popc(wn) < least) {
          i32 x = value;
          u32 p = wp, n = wn;
          for (i32 left = min(32, job.columns - w * 32); left; left--, p <<= 1, n <<= 1) {
            x += (i32)(p >> 31) - (i32)(n >> 31);
            least = min(least, x);
          }
        }
      }
      value += __popc(wp) - __popc(wn);
    }
  }
  for (int d = 16; d; d >>= 1) least = min(least, __shfl_xor_sync(EVERY, least, d));
  if (!lane) atomicMax(job.found + 1, job.m - least);
}
