/* The caller's order of records or, with HAS_PREDICATE, which elements are wanted. The host puts the caller's own text in the
 * place of this file; what is here lets the kernels be compiled alone, and shows what the text defines. */
#if (RECORD_BYTES || HAS_PREDICATE) && !defined(COMPARATOR_H)
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
