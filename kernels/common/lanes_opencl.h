// SPDX-License-Identifier: MIT
/* How OpenCL C 1.2 moves lanes within a vector and between two. */
#ifndef LANES_OPENCL_H
#define LANES_OPENCL_H

/* MIRROR_LANES(v): all lanes reversed.
 * SWAP_LANES_h(v): lane l takes lane l ^ h.  MIRROR_LANES_w(v): lane l takes lane l ^ (w - 1).
 * Swizzles rather than shuffle(): they are constant by grammar, so every compiler makes one instruction of them. */
#if LANES == 1
#define MIRROR_LANES(v) (v)
#elif LANES == 2
#define SWAP_LANES_1(v) ((v).s10)
#define MIRROR_LANES(v) SWAP_LANES_1(v)
#elif LANES == 4
#define SWAP_LANES_1(v) ((v).s1032)
#define SWAP_LANES_2(v) ((v).s2301)
#define MIRROR_LANES_4(v) ((v).s3210)
#define MIRROR_LANES(v) MIRROR_LANES_4(v)
#elif LANES == 8
#define SWAP_LANES_1(v) ((v).s10325476)
#define SWAP_LANES_2(v) ((v).s23016745)
#define SWAP_LANES_4(v) ((v).s45670123)
#define MIRROR_LANES_4(v) ((v).s32107654)
#define MIRROR_LANES_8(v) ((v).s76543210)
#define MIRROR_LANES(v) MIRROR_LANES_8(v)
#elif LANES == 16
#define SWAP_LANES_1(v) ((v).s1032547698badcfe)
#define SWAP_LANES_2(v) ((v).s23016745ab89efcd)
#define SWAP_LANES_4(v) ((v).s45670123cdef89ab)
#define SWAP_LANES_8(v) ((v).s89abcdef01234567)
#define MIRROR_LANES_4(v) ((v).s32107654ba98fedc)
#define MIRROR_LANES_8(v) ((v).s76543210fedcba98)
#define MIRROR_LANES_16(v) ((v).sfedcba9876543210)
#define MIRROR_LANES(v) MIRROR_LANES_16(v)
#endif

#define MIRROR_LANES_2(v) SWAP_LANES_1(v)

/* NEXT_LANES(v, last): lane l takes lane l + 1, the last one lane 0 of `last`.
 * PREVIOUS_LANES(v, first): lane l takes lane l - 1, the first one lane 0 of `first`.
 * BLEND_h(low, high): lanes without bit h from low, lanes with it from high.
 * LOW_LANES_h(a, b): the lanes of a and b without bit h, those of b in the places with it.
 * HIGH_LANES_h(a, b): the lanes with bit h, those of a in the places without it.
 * The lanes of the second vector are counted on from those of the first. */
#ifdef __clang__
#define PICK_LANES __builtin_shufflevector
#elif LANES == 2
#define PICK_LANES(a, b, i, j) shuffle2(a, b, (vec_t)(i, j))
#elif LANES == 4
#define PICK_LANES(a, b, i, j, k, l) shuffle2(a, b, (vec_t)(i, j, k, l))
#elif LANES == 8
#define PICK_LANES(a, b, i, j, k, l, m, n, o, p) shuffle2(a, b, (vec_t)(i, j, k, l, m, n, o, p))
#elif LANES == 16
#define PICK_LANES(a, b, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x) \
    shuffle2(a, b, (vec_t)(i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x))
#endif

#if LANES == 2
#define NEXT_LANES(v, last) PICK_LANES(v, last, 1, 2)
#define PREVIOUS_LANES(v, first) PICK_LANES(v, first, 2, 0)
#define BLEND_1(a, b) PICK_LANES(a, b, 0, 3)
#define LOW_LANES_1(a, b) PICK_LANES(a, b, 0, 2)
#define HIGH_LANES_1(a, b) PICK_LANES(a, b, 1, 3)
#elif LANES == 4
#define NEXT_LANES(v, last) PICK_LANES(v, last, 1, 2, 3, 4)
#define PREVIOUS_LANES(v, first) PICK_LANES(v, first, 4, 0, 1, 2)
#define BLEND_1(a, b) PICK_LANES(a, b, 0, 5, 2, 7)
#define BLEND_2(a, b) PICK_LANES(a, b, 0, 1, 6, 7)
#define LOW_LANES_1(a, b) PICK_LANES(a, b, 0, 4, 2, 6)
#define LOW_LANES_2(a, b) PICK_LANES(a, b, 0, 1, 4, 5)
#define HIGH_LANES_1(a, b) PICK_LANES(a, b, 1, 5, 3, 7)
#define HIGH_LANES_2(a, b) PICK_LANES(a, b, 2, 3, 6, 7)
#elif LANES == 8
#define NEXT_LANES(v, last) PICK_LANES(v, last, 1, 2, 3, 4, 5, 6, 7, 8)
#define PREVIOUS_LANES(v, first) PICK_LANES(v, first, 8, 0, 1, 2, 3, 4, 5, 6)
#define BLEND_1(a, b) PICK_LANES(a, b, 0, 9, 2, 11, 4, 13, 6, 15)
#define BLEND_2(a, b) PICK_LANES(a, b, 0, 1, 10, 11, 4, 5, 14, 15)
#define BLEND_4(a, b) PICK_LANES(a, b, 0, 1, 2, 3, 12, 13, 14, 15)
#define LOW_LANES_1(a, b) PICK_LANES(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define LOW_LANES_2(a, b) PICK_LANES(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LOW_LANES_4(a, b) PICK_LANES(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HIGH_LANES_1(a, b) PICK_LANES(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define HIGH_LANES_2(a, b) PICK_LANES(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define HIGH_LANES_4(a, b) PICK_LANES(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#elif LANES == 16
#define NEXT_LANES(v, last) PICK_LANES(v, last, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
#define PREVIOUS_LANES(v, first) PICK_LANES(v, first, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
#define BLEND_1(a, b) \
    PICK_LANES(a, b, 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31)
#define BLEND_2(a, b) \
    PICK_LANES(a, b, 0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31)
#define BLEND_4(a, b) \
    PICK_LANES(a, b, 0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 28, 29, 30, 31)
#define BLEND_8(a, b) \
    PICK_LANES(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31)
#define LOW_LANES_1(a, b) \
    PICK_LANES(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define LOW_LANES_2(a, b) \
    PICK_LANES(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define LOW_LANES_4(a, b) \
    PICK_LANES(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define LOW_LANES_8(a, b) \
    PICK_LANES(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define HIGH_LANES_1(a, b) \
    PICK_LANES(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define HIGH_LANES_2(a, b) \
    PICK_LANES(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define HIGH_LANES_4(a, b) \
    PICK_LANES(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define HIGH_LANES_8(a, b) \
    PICK_LANES(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#endif

#endif
