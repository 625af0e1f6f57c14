// Exponentials in double precision, where probabilities of a hundred thousand tokens are added up.
#pragma once

#include "lanes.h"

namespace kiln {

constexpr int DOUBLES = WIDTH / 2;

typedef double Doubles __attribute__((vector_size(DOUBLES * 8)));
typedef int64_t Longs __attribute__((vector_size(DOUBLES * 8)));
typedef float HalfFloats __attribute__((vector_size(DOUBLES * 4)));

// e to the x for x of at most 0, within a few units in the last place; 0 below -708.
KILN_INLINE Doubles decay(Doubles x) {
    const double magic = 6755399441055744.0; // 1.5 * 2^52: adding it leaves the integer in the low bits
    const Doubles lowest = Doubles{} - 708.0, clamped = x < lowest ? lowest : x;
    const Doubles shifted = clamped * 1.44269504088896338700 + magic, whole = shifted - magic;
    const Doubles rest = (clamped - whole * 6.93147180369123816490e-01) - whole * 1.90821492927058770002e-10;
    // The series, as far as it matters where the rest is at most half of log 2.
    Doubles power = rest * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
    power = power * rest + 1.0 / 39916800.0;
    power = power * rest + 1.0 / 3628800.0;
    power = power * rest + 1.0 / 362880.0;
    power = power * rest + 1.0 / 40320.0;
    power = power * rest + 1.0 / 5040.0;
    power = power * rest + 1.0 / 720.0;
    power = power * rest + 1.0 / 120.0;
    power = power * rest + 1.0 / 24.0;
    power = power * rest + 1.0 / 6.0;
    power = power * rest + 0.5;
    power = power * rest + 1.0;
    power = power * rest + 1.0;
    const Doubles result = power * (Doubles)(((Longs)shifted + 1023) << 52);
    return x < lowest ? Doubles{} : result;
}

// The sum of e to the (value - highest) / temperature over `count` values, of which none is above the highest.
inline double sum_of_weights(const float *values, size_t count, double highest, double temperature) {
    Doubles sums[LANES / DOUBLES] = {};
    const auto add = [&](const float *from) __attribute__((always_inline)) {
        for (int i = 0; i < LANES / DOUBLES; i++) {
            HalfFloats some;
            memcpy(&some, from + i * DOUBLES, sizeof some);
            sums[i] += decay((__builtin_convertvector(some, Doubles) - highest) / temperature);
        }
    };
    size_t k = 0;
    for (; k + LANES <= count; k += LANES) add(values + k);
    if (k < count) {
        float rest[LANES];
        for (int lane = 0; lane < LANES; lane++) rest[lane] = k + lane < count ? values[k + lane] : -INFINITY;
        add(rest);
    }
    double lanes[LANES];
    memcpy(lanes, sums, sizeof lanes);
    for (int step = LANES / 2; step; step /= 2)
        for (int lane = 0; lane < step; lane++) lanes[lane] += lanes[lane + step];
    return lanes[0];
}

} // namespace kiln
