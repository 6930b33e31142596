/* WFA2-lib, its own C library: a contender of `cargo xtask bench --peer-wfa2 CHECKOUT`, which builds it.
 *
 * Aligners are created once and reused for every pair, as the library's documentation shows for many pairs. No heuristic. */
#include "utils/commons.h"
#include "wavefront/wavefront_align.h"

#include "turns.h"

/* Above these limits a call takes a minute, because the time is quadratic in the distance. */
#define LONGEST 2000000L
#define MOST_EDITS 100000L

static wavefront_aligner_t *edits(alignment_scope_t scope, wavefront_memory_t memory) {
  wavefront_aligner_attr_t attributes = wavefront_aligner_attr_default;
  attributes.distance_metric = edit;
  attributes.alignment_scope = scope;
  attributes.alignment_form.span = alignment_end2end;
  attributes.heuristic.strategy = wf_heuristic_none;
  attributes.memory_mode = memory;
  return wavefront_aligner_new(&attributes);
}

static long distance(void *aligner, const pair_t *pair) {
  wavefront_aligner_t *const wavefront = (wavefront_aligner_t *)aligner;
  wavefront_align(wavefront, pair->a, pair->m, pair->b, pair->n);
  return labs((long)wavefront->cigar->score);
}

/* Counts the edits of the alignment. */
static long path(void *aligner, const pair_t *pair) {
  wavefront_aligner_t *const wavefront = (wavefront_aligner_t *)aligner;
  wavefront_align(wavefront, pair->a, pair->m, pair->b, pair->n);
  const cigar_t *const cigar = wavefront->cigar;
  long count = 0;
  for (int at = cigar->begin_offset; at < cigar->end_offset; at++) count += cigar->operations[at] != 'M';
  return count;
}

int main(int count, char **arguments) {
  const course_t course = turns_course(count, arguments);
  contender_t contenders[3];
  int present = 0;
  /* K is the distance of the first pair. */
  if (!strcmp(course.task, "edit-distance") && course.pairs[0].m <= LONGEST && course.k <= MOST_EDITS) {
    const contender_t all[] = {
        {"WFA2", distance, edits(compute_score, wavefront_memory_high)},
        {"BiWFA", distance, edits(compute_score, wavefront_memory_ultralow)},
        {"BiWFA+path", path, edits(compute_alignment, wavefront_memory_ultralow)},
    };
    for (; present < 3; present++) contenders[present] = all[present];
  }
  return turns_serve(&course, contenders, present);
}
