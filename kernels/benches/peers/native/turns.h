/* The protocol of ../src/turns.rs for peers in C and C++, so that their runs and ours alternate.
 *
 *   PROGRAM TASK A B K PIECES
 *
 * A contender is a function of two texts; its loop and its clock are here, the same for all. */
#ifndef TURNS_H
#define TURNS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Two texts that are compared, without terminating zeros. */
typedef struct {
  const char *a, *b;
  int m, n;
} pair_t;

/* The job that the command line describes. */
typedef struct {
  const char *task;
  long k, pieces;
  pair_t *pairs;
} course_t;

/* A name, which ends in "+path" if an alignment is found, and a function that returns a number for two texts, or -1 without a
 * result. */
typedef struct {
  const char *name;
  long (*solve)(void *state, const pair_t *pair);
  void *state;
} contender_t;

static char *turns_file(const char *name, long *size) {
  FILE *file = fopen(name, "rb");
  if (!file || fseek(file, 0, SEEK_END)) exit(2);
  *size = ftell(file);
  rewind(file);
  char *text = (char *)malloc((size_t)*size + 1);
  if (!text || fread(text, 1, (size_t)*size, file) != (size_t)*size) exit(2);
  fclose(file);
  return text;
}

/* Reads the texts of the command line and cuts them into the requested number of pairs. */
static course_t turns_course(int count, char **arguments) {
  if (count != 6) exit(2);
  course_t course = {arguments[1], atol(arguments[4]), atol(arguments[5]), NULL};
  long a_size, b_size;
  const char *a = turns_file(arguments[2], &a_size), *b = turns_file(arguments[3], &b_size);
  const long m = a_size / course.pieces, n = b_size / course.pieces;
  course.pairs = (pair_t *)malloc((size_t)course.pieces * sizeof(pair_t));
  if (!course.pairs) exit(2);
  for (long at = 0; at < course.pieces; at++) {
    const pair_t pair = {a + at * m, b + at * n, (int)m, (int)n};
    course.pairs[at] = pair;
  }
  return course;
}

static double turns_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Lists the contenders, and times each requested one until the input ends. */
static int turns_serve(const course_t *course, const contender_t *contenders, int count) {
  for (int at = 0; at < count; at++) printf("has %s\n", contenders[at].name);
  puts("ready");
  fflush(stdout);
  char line[256];
  while (fgets(line, sizeof line, stdin)) {
    char *tab = strchr(line, '\t');
    if (!tab) return 2;
    *tab = 0;
    const contender_t *asked = NULL;
    for (int at = 0; at < count; at++)
      if (!strcmp(contenders[at].name, line)) asked = &contenders[at];
    if (!asked) return 2;
    const long rounds = atol(tab + 1) / course->pieces;
    volatile long found = 0;
    const double begun = turns_now();
    for (long round = 0; round < rounds; round++) {
      long sum = 0;
      for (long at = 0; at < course->pieces; at++) sum += asked->solve(asked->state, &course->pairs[at]);
      found = sum;
    }
    const double seconds = turns_now() - begun;
    if (found < 0) printf("%.12f\tnone\n", seconds);
    else printf("%.12f\t%ld\n", seconds, found);
    fflush(stdout);
  }
  return 0;
}

#endif
