// Match count as in paper 002. `naive` (section 3.1) and `shift_add` (figure 2) are sequential and run on one thread.
// `streams` is figure 3: a processor, here a thread, for each distinct symbol of the pattern, each with its streams ft
// and fp of m bits. All threads add to the scores. They remember nothing of the text except for ft, so the text arrives
// in pieces, one launch each, and may be endless.

constexpr u32 STEPS = 1 << 14; // comparisons or words of one thread between two reports

struct Naive { const Symbol* p; const Symbol* t; u32* scores; Watch watch; u32 m; u32 offsets; };
struct ShiftAdd { const Symbol* t; const u32* masks; u32* d; u32* scores; Watch watch; u32 m; u32 n; u32 b; u32 words; };
struct Streams { const Symbol* t; const u32* symbols; u32* ft; const u32* fp; u32* scores; u32 length; u32 skip; u32 processors; u32 words; u32 top; u32 pad; };

extern "C" __global__ void naive(const __grid_constant__ Naive job) {
  u32 steps = 0;
  for (u32 k = 0; k < job.offsets; k++) {
    u32 score = 0;
    for (u32 i = 0; i < job.m; i++) {
      score += job.p[i] == job.t[i + k];
      if (++steps == STEPS) {
        if (stops(job.watch, steps)) return;
        steps = 0;
      }
    }
    job.scores[k] = score;
  }
  stops(job.watch, steps);
}

// D begins as zeros. Fields of b bits are stored from the lowest bit of the first word on; p_1 is in the highest field.
extern "C" __global__ void shift_add(const __grid_constant__ ShiftAdd job) {
  u32 steps = 0;
  for (u32 i = 0; i < job.n; i++) {
    const u32* const mask = job.masks + (size_t)job.t[i] * job.words;
    u32 carry = 0, word = job.d[0];
    for (u32 w = 0; w < job.words; w++) {
      const u32 next = w + 1 < job.words ? job.d[w + 1] : 0;
      const u64 sum = (u64)__funnelshift_r(word, next, job.b) + __ldg(mask + w) + carry;
      job.d[w] = (u32)sum;
      carry = (u32)(sum >> 32);
      word = next;
      if (++steps == STEPS) {
        if (stops(job.watch, steps)) return;
        steps = 0;
      }
    }
    if (i + 1 >= job.m) job.scores[i + 1 - job.m] = job.d[0] & ((1u << job.b) - 1);
  }
  stops(job.watch, steps);
}

// The vectors of all processors are interleaved word by word. The first `skip` symbols of the piece complete no offset.
// `top` has the bits of the last word that are within m.
extern "C" __global__ void __launch_bounds__(THREADS) streams(const __grid_constant__ Streams job) {
  const u32 own = blockIdx.x * THREADS + threadIdx.x;
  if (own >= job.processors) return;
  const Symbol a = job.symbols[own];
  u32* const ft = job.ft + own;
  const u32* const fp = job.fp + own;
  for (u32 i = 0; i < job.length; i++) {
    u32 bit = job.t[i] == a, matches = 0;
    for (u32 w = 0; w < job.words; w++) {
      const size_t place = (size_t)w * job.processors;
      const u32 word = ft[place];
      const u32 pushed = (word << 1 | bit) & (w + 1 == job.words ? job.top : EVERY);
      bit = word >> 31;
      ft[place] = pushed;
      matches += __popc(pushed & __ldg(fp + place));
    }
    if (i >= job.skip) atomicAdd(job.scores + (i - job.skip), matches);
  }
}
