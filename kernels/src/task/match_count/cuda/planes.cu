// Converts the text to bit planes in the order in which `count` reads them. Compiled for UNIT bytes of a symbol, 1 or
// 4, and PLANES bits of a code.
//
// A tile is 32 · S offsets, and bit b of its word w belongs to offset b · S + w. So the text shifted by i is word w +
// i, without a shift. A thread creates four adjacent words of a tile, so that a warp reads whole lines.

constexpr int P = PLANES, BYTES = (P + 7) / 8;

// codes: of every symbol, below 2^P; null if symbols are their own codes. planes: for every tile and one more, P rows
// of `size` words.
struct Planes { const u32* text; const unsigned short* codes; u32* planes; u32 symbols; u32 size; u32 tiles; };

#if UNIT == 1
typedef u32 Four; // four adjacent symbols
__device__ __forceinline__ Four nothing() { return 0; }
#else
typedef uint4 Four;
__device__ __forceinline__ Four nothing() { return make_uint4(0, 0, 0, 0); }
#endif

// Looks up the codes of four symbols: low bytes, and high ones.
__device__ __forceinline__ void code(const Planes& job, const unsigned short* codes, Four four, u32 (&bytes)[BYTES]) {
#if UNIT == 1
  if (!job.codes) { bytes[0] = four; if (BYTES > 1) bytes[BYTES - 1] = 0; return; }
  const u32 x[4] = {codes[four & 255], codes[four >> 8 & 255], codes[four >> 16 & 255], codes[four >> 24]};
#else
  const u32 x[4] = {codes[four.x], codes[four.y], codes[four.z], codes[four.w]};
#endif
  for (int b = 0; b < BYTES; b++)
    bytes[b] = __byte_perm(__byte_perm(x[0], x[1], b ? 0x0051 : 0x0040), __byte_perm(x[2], x[3], b ? 0x5100 : 0x4000), 0x7610);
}

extern "C" __global__ void __launch_bounds__(256) planes(const __grid_constant__ Planes job) {
  __shared__ unsigned short table[256];
  if (UNIT == 1 && job.codes) {
    table[threadIdx.x] = job.codes[threadIdx.x];
    __syncthreads();
  }
  const unsigned short* codes = UNIT == 1 ? table : job.codes;
  const u32 thread = blockIdx.x * 256 + threadIdx.x, tile = thread / (job.size / 4), w = thread % (job.size / 4) * 4;
  if (tile >= job.tiles) return;
  // Byte i of v[p][c] holds bits 8·c and up of plane p of word i.
  u32 v[P][4] = {};
  #pragma unroll
  for (int c = 0; c < 4; c++) {
    Four four[8];
    #pragma unroll
    for (int b = 0; b < 8; b++) {
      const u64 at = (u64)(tile * 32 + c * 8 + b) * job.size + w;
      four[b] = at < job.symbols ? __ldg((const Four*)job.text + at / 4) : nothing(); // zeros lie behind the text
    }
    #pragma unroll
    for (int b = 0; b < 8; b++) {
      u32 bytes[BYTES];
      code(job, codes, four[b], bytes);
      #pragma unroll
      for (int p = 0; p < P; p++) v[p][c] = mad(bytes[p / 8] >> p % 8 & 0x01010101u, 1u << b, v[p][c]);
    }
  }
  #pragma unroll
  for (int p = 0; p < P; p++) {
    const u32 low01 = __byte_perm(v[p][0], v[p][1], 0x5140), low23 = __byte_perm(v[p][2], v[p][3], 0x5140);
    const u32 high01 = __byte_perm(v[p][0], v[p][1], 0x7362), high23 = __byte_perm(v[p][2], v[p][3], 0x7362);
    ((uint4*)(job.planes + ((size_t)tile * P + p) * job.size))[w / 4] =
      make_uint4(__byte_perm(low01, low23, 0x5410), __byte_perm(low01, low23, 0x7632),
                 __byte_perm(high01, high23, 0x5410), __byte_perm(high01, high23, 0x7632));
  }
}
