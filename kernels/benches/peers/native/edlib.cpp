// edlib, its own C++ library: a contender of `cargo xtask bench --peer-edlib CHECKOUT`, which builds it.
#include "edlib.h"

#include "turns.h"

// Above this number of cells, a call takes half a minute.
static const double MOST_CELLS = 2e12;

struct Way {
  EdlibAlignMode mode;
  EdlibAlignTask task;
  long k;
  // Maximum distance of a result: a search without a bound may find larger distances than requested.
  long most;
};

static long aligned(void *state, const pair_t *pair) {
  const Way *way = static_cast<const Way *>(state);
  const EdlibAlignConfig config = edlibNewAlignConfig(static_cast<int>(way->k), way->mode, way->task, nullptr, 0);
  const EdlibAlignResult result = edlibAlign(pair->a, pair->m, pair->b, pair->n, config);
  long found = result.editDistance;
  edlibFreeAlignResult(result);
  return way->most >= 0 && found > way->most ? -1 : found;
}

int main(int count, char **arguments) {
  const course_t course = turns_course(count, arguments);
  const double cells = static_cast<double>(course.pairs[0].m) * course.pairs[0].n;
  static Way distance = {EDLIB_MODE_NW, EDLIB_TASK_DISTANCE, -1, -1}, path = {EDLIB_MODE_NW, EDLIB_TASK_PATH, -1, -1};
  static Way given = {EDLIB_MODE_HW, EDLIB_TASK_LOC, course.k, -1}, open = {EDLIB_MODE_HW, EDLIB_TASK_LOC, -1, course.k};
  contender_t contenders[2];
  int present = 0;
  // K is the distance of the first pair, and the time increases with it.
  if (!strcmp(course.task, "edit-distance") && cells <= MOST_CELLS && static_cast<double>(course.k) * course.pairs[0].m <= 1e11) {
    contenders[present++] = {"edlib", aligned, &distance};
    contenders[present++] = {"edlib+path", aligned, &path};
  }
  if (!strcmp(course.task, "approximate-search") && cells <= 2e11) {
    contenders[present++] = {"edlib HW, k given", aligned, &given};
    contenders[present++] = {"edlib HW", aligned, &open};
  }
  return turns_serve(&course, contenders, present);
}
