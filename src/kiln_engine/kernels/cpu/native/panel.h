// Weights in the order in which products use them, and the inner loop over them.
//
// A panel is sixteen outputs side by side: for input 0 the sixteen weights, then those for input 1, and so on. An
// output is one chain of fused operations along its inputs, cut every `BLOCK` inputs, where the sum so far is added to
// the total. How many outputs and rows are worked on at once follows the machine and the number of rows, and changes no
// bit.
#pragma once

#include <algorithm>

#include "lanes.h"

namespace kiln {

// Inputs in a chain. The weights of a panel for so many, and as much of a few rows, stay in the first-level cache.
constexpr size_t BLOCK = 256;

// Vectors of sums that leave registers for the rest.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int MOST_SUMS = 24;
#elif defined(__AVX2__)
constexpr int MOST_SUMS = 12;
#else
constexpr int MOST_SUMS = 8;
#endif

// Rows of x that are worked on at once, and panels with so many of them.
constexpr int MOST_ROWS = MOST_SUMS / PARTS < 6 ? MOST_SUMS / PARTS : 6;
constexpr int panels_at_once(int rows) {
    return std::max(std::min(MOST_SUMS / PARTS / rows, rows == 1 ? 4 : 2), 1);
}

// What products are made of: floats, whatever type the weights have in memory …
template <typename T> struct Wide {
    typedef T Weight;
    typedef float Input;
    static constexpr int STEP = 1;

    // Where among the sixteen an output is: as memory has them, since what loads them is what puts them in order.
    static KILN_INLINE size_t lane(size_t output) { return output; }
    static KILN_INLINE Lanes load(const T *from) { return load_lanes(from); }
    static KILN_INLINE Lanes load_last(const T *from) { return load_lanes(from); }
    static KILN_INLINE Floats spread(const float *from) { return broadcast(*from); }
    static KILN_INLINE void take(T value, float *to) { *to = widened(value); }
    static KILN_INLINE Floats madd(Floats a, Floats b, Floats c) { return fma(a, b, c); }
};

#if defined(__AVX512BF16__)
// … or pairs of bfloat16, where the machine multiplies them itself: for two inputs the two weights of each output.
struct Pairs {
    typedef bf16 Weight;
    typedef bf16 Input;
    static constexpr int STEP = 2;

    // In the order of lanes, which has even elements first: results are stored from there.
    static KILN_INLINE size_t lane(size_t output) { return output / 2 + output % 2 * (LANES / 2); }
    static KILN_INLINE Lanes load(const bf16 *from) {
        Lanes pairs;
        memcpy(&pairs, from, sizeof pairs);
        return pairs;
    }
    // The last input of an odd number: its pairs lack their second.
    static KILN_INLINE Lanes load_last(const bf16 *from) {
        return {(Floats)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)from))};
    }
    static KILN_INLINE void take(bf16 value, bf16 *to) { *to = value; }
    static KILN_INLINE Floats spread(const bf16 *from) {
        int32_t pair;
        memcpy(&pair, from, sizeof pair);
        return (Floats)_mm512_set1_epi32(pair);
    }
    static KILN_INLINE Floats madd(Floats a, Floats b, Floats c) {
        return (Floats)_mm512_dpbf16_ps((__m512)c, (__m512bh)a, (__m512bh)b);
    }
};
#endif

// Memory that is needed soon, to be brought nearer while there is something to compute.
struct Ahead {
    const char *at;
    size_t lines;
};

// The kind that products with weights of a type are made of here.
template <typename T> struct KindOf {
    typedef Wide<T> Type;
};
#if defined(__AVX512BF16__)
template <> struct KindOf<bf16> {
    typedef Pairs Type;
};
#endif

inline size_t divided_up(size_t a, size_t b) { return (a + b - 1) / b; }

// Where in a panel the weight of input `k` for one of its outputs is. An input that has no second is no pair.
template <typename T> KILN_INLINE size_t place(size_t k, size_t output, size_t inputs) {
    constexpr size_t STEP = KindOf<T>::Type::STEP;
    const size_t lane = KindOf<T>::Type::lane(output);
    const bool alone = k / STEP == inputs / STEP;
    return alone ? k * LANES + lane : (k / STEP * LANES + lane) * STEP + k % STEP;
}

// Adds to sums[P][R], or makes them when `fresh`, the products of P panels, `apart` elements from one another, with R
// rows of x, for `count` inputs.
template <typename Kind, int P, int R>
KILN_APART void multiply(const typename Kind::Weight *weights, size_t apart, const typename Kind::Input *inputs,
                         size_t count, bool fresh, Ahead ahead, Lanes *sums) {
    constexpr int UNROLLED = 4;
    Lanes chains[P][R] = {};
    const auto step = [&](Lanes (*load)(const typename Kind::Weight *)) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (int p = 0; p < P; p++) {
            Lanes own = load(weights + p * apart);
            for (int v = 0; v < PARTS; v++) own.part[v] = held(own.part[v]);
#pragma GCC unroll 6
            for (int r = 0; r < R; r++) {
                const Floats input = held(Kind::spread(inputs + r * Kind::STEP));
                for (int v = 0; v < PARTS; v++)
                    chains[p][r].part[v] = Kind::madd(own.part[v], input, chains[p][r].part[v]);
            }
        }
        weights += LANES * Kind::STEP;
        inputs += R * Kind::STEP;
    };
    const size_t steps = count / Kind::STEP, rounds = steps / UNROLLED;
    const size_t lines = rounds ? (ahead.lines + rounds - 1) / rounds : 0;
    for (size_t round = 0; round < rounds; round++) {
#pragma GCC unroll 4
        for (int i = 0; i < UNROLLED; i++) step(Kind::load);
        for (size_t line = 0; line < lines; line++, ahead.at += 64)
            for (int p = 0; p < P; p++) __builtin_prefetch(ahead.at + p * apart * sizeof(*weights));
    }
    for (size_t i = rounds * UNROLLED; i < steps; i++) step(Kind::load);
    if (count % Kind::STEP) step(Kind::load_last);
    for (int p = 0; p < P; p++)
        for (int r = 0; r < R; r++)
            for (int v = 0; v < PARTS; v++) {
                Floats &total = sums[p * R + r].part[v];
                total = fresh ? chains[p][r].part[v] : total + chains[p][r].part[v];
            }
}

} // namespace kiln
