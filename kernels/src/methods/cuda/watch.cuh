// What the kernels of the papers' methods have in common: symbols of UNIT bytes, 1 or 4, and how they tell the host how far they are and
// hear that they shall stop. The host gives UNIT, the places STOP and DONE of the control words and SAID, OVER, WISH of those on the
// board in its memory, in 8 bytes.

#if UNIT == 1
typedef u8 Symbol;
#else
typedef u32 Symbol;
#endif

constexpr u32 LOOK = 16; // the board is looked at once in 2^LOOK steps: some milliseconds of one thread

struct Watch { u64* control; u64* board; u64 counts; };

// Counts steps, which are `counts` in all. Whether all shall stop. One thread of a block asks.
__device__ __noinline__ bool stops(const Watch& watch, u64 steps) {
  const u64 before = atomicAdd(watch.control + DONE, steps), now = before + steps;
  if (now == watch.counts) *(volatile u64*)(watch.board + OVER) = 1;
  if (before >> LOOK != now >> LOOK) {
    *(volatile u64*)(watch.board + SAID) = now;
    if (*(volatile u64*)(watch.board + WISH)) post(watch.control + STOP, 1);
  }
  return peek(watch.control + STOP);
}
