/* What is left of where runs of equal keys begin, so that their values can be reduced without a look at the keys (reduce_runs.h): a bit
 * for each key, 16 in an integer, the first of them the lowest; and how many runs begin in front of every tile of 4096 keys. */
#ifndef RUN_MARKS_H
#define RUN_MARKS_H

#define MARKED_KEYS 16
#define REDUCED_KEYS 4096

#endif
