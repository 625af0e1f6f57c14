// The inner loop of products of many rows with many: tiles of rows by columns, each pair summed as lanes.h describes.
#pragma once

#include "lanes.h"

namespace kiln {

#if defined(__AVX512F__)
constexpr int TILE_ROWS = 4, TILE_COLUMNS = 6;
#else
// Twelve sums, three rows and one column fill sixteen registers exactly.
constexpr int TILE_ROWS = 3, TILE_COLUMNS = 4;
#endif

// What products are made of: float lanes, sixteen elements a step …
struct Wide {
    typedef float Element;
    typedef Floats Vector;
    static constexpr int STEP = LANES, VECTORS = PARTS, WIDTH = kiln::WIDTH;
    static KILN_INLINE Vector load(const float *from) { return kiln::load(from); }
    template <typename T> static KILN_INLINE Vector load_part(const T *from, int part) {
        return kiln::load_part(from, part);
    }
    static KILN_INLINE Floats madd(Vector a, Vector b, Floats c) { return fma(a, b, c); }
};

#if defined(__AVX512BF16__)
// … or pairs of bfloat16, thirty-two elements a step, where the machine multiplies them itself.
struct Pairs {
    typedef bf16 Element;
    typedef __m512i Vector;
    static constexpr int STEP = 32, VECTORS = 1, WIDTH = 32;
    static KILN_INLINE Vector load(const bf16 *from) { return _mm512_loadu_si512(from); }
    static KILN_INLINE Vector load_part(const bf16 *from, int) { return load(from); }
    static KILN_INLINE Floats madd(Vector a, Vector b, Floats c) {
        return (Floats)_mm512_dpbf16_ps((__m512)c, (__m512bh)a, (__m512bh)b);
    }
};
#endif

// Rows as they are in memory.
template <typename Kind, typename T> struct Stored {
    const T *at;
    size_t stride;
    KILN_INLINE typename Kind::Vector load(int vector, size_t step, int row) const {
        return Kind::load_part(at + row * stride + step * Kind::STEP, vector);
    }
};

// Rows packed for this: for each vector of a step all steps, for each of those the rows side by side.
template <typename Kind, int HEIGHT> struct Packed {
    const typename Kind::Element *at;
    size_t vector_stride;
    KILN_INLINE typename Kind::Vector load(int vector, size_t step, int row) const {
        return Kind::load(at + vector * vector_stride + (step * HEIGHT + row) * Kind::WIDTH);
    }
};

// Memory that is needed next, to be brought into the second-level cache while there is something to compute.
struct Ahead {
    const char *at, *end;

    // How far apart the next `count` lines are: 0 once all have been asked for.
    size_t advance(size_t count) {
        const size_t line = at < end ? 64 : 0;
        at += line * count;
        return line;
    }
};

// sums[row][column] += rows x columns over `steps` steps, from 0 when `fresh`. The vectors of a sum take turns, because
// they do not meet before its end. Meanwhile brings nearer what lies at `ahead`, a line a step while there is any.
template <typename Kind, int R, int C, typename Rows, typename Columns>
KILN_APART void multiply(Rows rows, Columns columns, size_t steps, bool fresh, Ahead &ahead, Lanes *sums) {
    const size_t line = ahead.advance(steps * Kind::VECTORS);
    const char *next = ahead.at - line * steps * Kind::VECTORS;
#pragma GCC unroll 4
    for (int vector = 0; vector < Kind::VECTORS; vector++) {
        Floats sum[R][C];
        for (int r = 0; r < R; r++)
            for (int c = 0; c < C; c++) sum[r][c] = fresh ? Floats{} : sums[r * C + c].part[vector];
        for (size_t step = 0; step < steps; step++) {
            typename Kind::Vector own[R];
            for (int r = 0; r < R; r++) own[r] = held(rows.load(vector, step, r));
            for (int c = 0; c < C; c++) {
                const auto other = held(columns.load(vector, step, c));
                for (int r = 0; r < R; r++) sum[r][c] = Kind::madd(own[r], other, sum[r][c]);
            }
            __builtin_prefetch(next, 0, 2);
            next += line;
        }
        for (int r = 0; r < R; r++)
            for (int c = 0; c < C; c++) sums[r * C + c].part[vector] = sum[r][c];
    }
}

} // namespace kiln
