/* QuickEd, its own C library: a contender of `cargo xtask bench --peer-quicked CHECKOUT`, which builds it.
 *
 * The aligner is created once and reused for every pair. It has no way to find the distance without the alignment. */
#include "quicked.h"

#include "turns.h"

/* Above this number of letters times edits, a call takes half a minute. */
static const double MOST_CELLS = 1e11;

/* Returns whether all letters are bases, because the library treats all other letters as equal. */
static int is_dna(const char *text, int len) {
  for (int at = 0; at < len; at++)
    if (!strchr("ACGT", text[at])) return 0;
  return 1;
}

/* Counts the edits of the alignment. */
static long path(void *state, const pair_t *pair) {
  quicked_aligner_t *const aligner = (quicked_aligner_t *)state;
  const quicked_status_t status = quicked_align(aligner, pair->a, pair->m, pair->b, pair->n);
  /* The library frees only the last CIGAR string. */
  if (aligner->cigar) mm_allocator_free(aligner->mm_allocator, aligner->cigar);
  aligner->cigar = NULL;
  return quicked_check_error(status) ? -1 : aligner->score;
}

int main(int count, char **arguments) {
  const course_t course = turns_course(count, arguments);
  quicked_params_t options = quicked_default_params();
  quicked_aligner_t aligner;
  const contender_t contender = {"QuickEd+path", path, &aligner};
  int is_suitable = !strcmp(course.task, "edit-distance") && course.k * (double)course.pairs[0].m <= MOST_CELLS;
  for (long at = 0; at < course.pieces && is_suitable; at++)
    is_suitable = is_dna(course.pairs[at].a, course.pairs[at].m) && is_dna(course.pairs[at].b, course.pairs[at].n);
  if (is_suitable && quicked_check_error(quicked_new(&aligner, &options))) return 2;
  return turns_serve(&course, &contender, is_suitable);
}
