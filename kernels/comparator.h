/* The caller's order of records or, with HAS_PREDICATE, which of them are wanted. The host puts the caller's own text in the place of this file; what is here lets the
 * kernels be compiled alone, and shows what the text defines. */
#if RECORD_BYTES && !defined(COMPARATOR_H)
#define COMPARATOR_H

typedef struct {
    uint words[RECORD_BYTES / 4];
} comparator_record;

#if HAS_PREDICATE
#define PARAMETER_BYTES 4
typedef uint predicate_parameter;
/* Whether a is wanted, by a parameter of so many bytes; with 0 in their place it is given none. */
static inline int predicate_holds(const comparator_record a, const predicate_parameter p) { return a.words[0] != p; }
#else
/* Whether a comes before b: a strict weak order. */
static inline int comparator_before(const comparator_record a, const comparator_record b) {
    return a.words[0] < b.words[0];
}
#endif

#endif
