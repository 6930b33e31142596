// Definitions that the kernels of the papers' methods share: symbols of UNIT bytes, 1 or 4, progress reports to the
// host, and stop requests from the host. The host defines UNIT, the indices STOP and DONE of the control words, and the
// indices SAID, OVER and WISH of words on the board in host memory. Words have 8 bytes.

#if UNIT == 1
typedef u8 Symbol;
#else
typedef u32 Symbol;
#endif

constexpr u32 LOOK = 16; // interval between accesses to the board: 2^LOOK steps, some milliseconds of one thread

struct Watch { u64* control; u64* board; u64 counts; };

// Counts steps, of which there are `counts` in total. Returns whether all threads must stop. One thread of a block
// calls it.
__device__ __noinline__ bool stops(const Watch& watch, u64 steps) {
  const u64 before = atomicAdd(watch.control + DONE, steps), now = before + steps;
  if (now == watch.counts) *(volatile u64*)(watch.board + OVER) = 1;
  if (before >> LOOK != now >> LOOK) {
    *(volatile u64*)(watch.board + SAID) = now;
    if (*(volatile u64*)(watch.board + WISH)) post(watch.control + STOP, 1);
  }
  return peek(watch.control + STOP);
}
