// SPDX-License-Identifier: MIT
/* The caller's order of records or, with HAS_PREDICATE, which elements are wanted or, with HAS_OPERATOR, what two are
 * combined to. The host puts the caller's own text in the place of this file; what is here lets the kernels be compiled
 * alone, and shows what the text defines. */
#if (RECORD_BYTES || HAS_PREDICATE) && !defined(RECORD_TYPE) && !defined(COMPARATOR_H)
#define COMPARATOR_H

#if HAS_PREDICATE
typedef struct {
#if RECORD_BYTES
    uchar bytes[RECORD_BYTES];
#else
    uchar bytes[KEY_BITS / 8];
#endif
} comparator_record;
#define PARAMETER_BYTES 4
typedef uint predicate_parameter;
/* Whether a is wanted. PARAMETER_BYTES is the size of p; where it is 0, the function has no p. */
static inline int predicate_holds(const comparator_record a, const predicate_parameter p) { return a.bytes[0] != p; }
#elif HAS_OPERATOR
typedef struct {
    uchar bytes[RECORD_BYTES];
} comparator_record;

/* What no elements are combined to, and what a, then b, are: associative, but not commutative. */
static inline comparator_record operator_identity(void) {
    comparator_record none = {{0}};
    return none;
}
static inline comparator_record operator_combine(const comparator_record a, const comparator_record b) {
    comparator_record both = a;
    both.bytes[0] = (uchar)(3 * a.bytes[0] + b.bytes[0]);
    return both;
}
#if HAS_TRANSFORM
/* What a of the first range and b of the second become. */
static inline comparator_record operator_transform(const comparator_record a, const comparator_record b) {
    return a.bytes[0] < b.bytes[0] ? a : b;
}
#endif
#else
typedef struct {
    uint words[RECORD_BYTES / 4];
} comparator_record;

/* Whether a comes before b: a strict weak order. */
static inline int comparator_before(const comparator_record a, const comparator_record b) {
    return a.words[0] < b.words[0];
}
#endif

#endif
