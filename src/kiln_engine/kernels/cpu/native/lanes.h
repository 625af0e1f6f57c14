// Sixteen lanes, on whatever vectors the machine has: the unit in which everything here is ordered.
//
// A reduction over K elements of memory keeps sixteen partial sums (element k goes to the lane of its place in its group
// of sixteen) and adds them up in one fixed tree. How many registers hold the sixteen, how many rows are worked on side
// by side and which thread does it can then be chosen freely: no choice changes a bit. Products and sums are explicit
// fused operations, and the files are compiled with -ffp-contract=off, so that the compiler has no choice either.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define KILN_INLINE inline __attribute__((always_inline))
// A function of its own, whose loop has all registers to itself.
#define KILN_APART __attribute__((noinline))

namespace kiln {

constexpr int LANES = 16;

#if defined(__AVX512F__)
constexpr int WIDTH = 16;
#elif defined(__AVX2__)
constexpr int WIDTH = 8;
#else
constexpr int WIDTH = 4;
#endif

// Vectors that make up the sixteen lanes.
constexpr int PARTS = LANES / WIDTH;

typedef float Floats __attribute__((vector_size(WIDTH * 4)));
typedef int32_t Ints __attribute__((vector_size(WIDTH * 4)));
typedef uint32_t Words __attribute__((vector_size(WIDTH * 4)));

struct bf16 {
    uint16_t bits;
};

struct Lanes {
    Floats part[PARTS];
};

// Keeps a vector in a register: compilers would rather load it again for each use, and loads are what runs out first.
template <typename Vector> KILN_INLINE Vector held(Vector vector) {
#if defined(KILN_EMULATED)
    // Vectors are wider than this machine's registers: see tests/kiln_engine/kernels/emulated.
#elif defined(__x86_64__)
    asm("" : "+v"(vector));
#elif defined(__aarch64__)
    asm("" : "+w"(vector));
#endif
    return vector;
}

KILN_INLINE Floats load(const float *from) {
    Floats value;
    memcpy(&value, from, sizeof value);
    return value;
}

KILN_INLINE void store(float *to, Floats value) { memcpy(to, &value, sizeof value); }

KILN_INLINE Floats broadcast(float value) { return value - Floats{}; }

// a * b + c: rounded once where the machine can.
KILN_INLINE Floats fma(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__)
    return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__) && defined(__AVX2__)
    return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (Floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

typedef float Quad __attribute__((vector_size(16)));
typedef int32_t QuadOrder __attribute__((vector_size(16)));

// Folds sixteen lanes to four: lane + 8 onto lane, then lane + 4.
template <typename Fold> KILN_INLINE Quad quarter(const Lanes &lanes, Fold fold) {
    Quad quads[LANES / 4];
    Floats part[PARTS];
    for (int i = 0; i < PARTS; i++) part[i] = lanes.part[i];
    int width = PARTS;
    for (; width > 1; width /= 2)
        for (int i = 0; i < width / 2; i++) part[i] = fold(part[i], part[i + width / 2]);
    memcpy(quads, part, sizeof part[0]);
    for (int count = WIDTH / 4; count > 1; count /= 2)
        for (int i = 0; i < count / 2; i++) quads[i] = fold(quads[i], quads[i + count / 2]);
    return quads[0];
}

// Four times the rest of the way, side by side: lane + 2 onto lane, then lane + 1.
KILN_INLINE Quad sums(Quad a, Quad b, Quad c, Quad d) {
    const QuadOrder low = {0, 1, 4, 5}, high = {2, 3, 6, 7}, even = {0, 2, 4, 6}, odd = {1, 3, 5, 7};
    Quad first = __builtin_shuffle(a, b, low) + __builtin_shuffle(a, b, high);
    Quad second = __builtin_shuffle(c, d, low) + __builtin_shuffle(c, d, high);
    return __builtin_shuffle(first, second, even) + __builtin_shuffle(first, second, odd);
}

struct Plus {
    template <typename V> KILN_INLINE V operator()(V a, V b) const { return a + b; }
};

struct Larger {
    template <typename V> KILN_INLINE V operator()(V a, V b) const { return a > b ? a : b; }
};

KILN_INLINE Quad quarter(const Lanes &lanes) { return quarter(lanes, Plus()); }

// Two times four of them, from all sixteen lanes.
KILN_INLINE void sums(const Lanes (&a)[4], const Lanes (&b)[4], Quad &first, Quad &second) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    Floats half[4];
    for (int i = 0; i < 4; i++) {
        const __m256 x = (__m256)(a[i].part[0] + a[i].part[1]), y = (__m256)(b[i].part[0] + b[i].part[1]);
        half[i] = (Floats)_mm256_permute2f128_ps(x, y, 0x21) + (Floats)_mm256_blend_ps(x, y, 0xf0);
    }
    const Ints low = {0, 1, 8, 9, 4, 5, 12, 13}, high = {2, 3, 10, 11, 6, 7, 14, 15};
    const Ints even = {0, 2, 8, 10, 4, 6, 12, 14}, odd = {1, 3, 9, 11, 5, 7, 13, 15};
    const Floats left = __builtin_shuffle(half[0], half[1], low) + __builtin_shuffle(half[0], half[1], high);
    const Floats right = __builtin_shuffle(half[2], half[3], low) + __builtin_shuffle(half[2], half[3], high);
    const Floats all = __builtin_shuffle(left, right, even) + __builtin_shuffle(left, right, odd);
    memcpy(&first, &all, sizeof first);
    memcpy(&second, (const char *)&all + sizeof first, sizeof second);
#else
    first = sums(quarter(a[0]), quarter(a[1]), quarter(a[2]), quarter(a[3]));
    second = sums(quarter(b[0]), quarter(b[1]), quarter(b[2]), quarter(b[3]));
#endif
}

KILN_INLINE float sum(const Lanes &lanes) {
    Quad rest = quarter(lanes);
    return (rest[0] + rest[2]) + (rest[1] + rest[3]);
}

// The largest lane; of what cannot be ordered, the later.
KILN_INLINE float maximum(const Lanes &lanes) {
    Quad rest = quarter(lanes, Larger());
    const float first = rest[0] > rest[2] ? rest[0] : rest[2], second = rest[1] > rest[3] ? rest[1] : rest[3];
    return first > second ? first : second;
}

// Sixteen elements of memory as lanes. Of bfloat16, lanes 0 to 7 are the even elements and 8 to 15 the odd ones: that
// takes one shift and one mask. Everything that meets in an operation is of one type, so orders always agree.
KILN_INLINE Lanes load_lanes(const float *from) {
    Lanes lanes;
    for (int i = 0; i < PARTS; i++) lanes.part[i] = load(from + i * WIDTH);
    return lanes;
}

KILN_INLINE Lanes load_lanes(const bf16 *from) {
    Lanes lanes;
#if defined(__AVX512F__)
    const __m512i order = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    __m512i words = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)from)), 16);
    lanes.part[0] = (Floats)_mm512_permutexvar_epi32(order, words);
#else
    constexpr int half = PARTS / 2;
    for (int i = 0; i < half; i++) {
        Words words;
        memcpy(&words, from + i * 2 * WIDTH, sizeof words);
        lanes.part[i] = (Floats)(words << 16);
        lanes.part[i + half] = (Floats)(words & 0xffff0000u);
    }
#endif
    return lanes;
}

// To the nearest bfloat16, ties to even, in the upper half of each word; any NaN becomes one quiet NaN.
KILN_INLINE Words rounded(Floats value) {
    Words words = (Words)value;
    Words nearest = words + 0x7fffu + ((words >> 16) & 1u);
    return value == value ? nearest : Words{} + 0x7fc00000u;
}

KILN_INLINE void store_lanes(float *to, const Lanes &lanes) {
    for (int i = 0; i < PARTS; i++) store(to + i * WIDTH, lanes.part[i]);
}

KILN_INLINE void store_lanes(bf16 *to, const Lanes &lanes) {
#if defined(__AVX512F__)
    const __m512i order = _mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    __m512i words = _mm512_permutexvar_epi32(order, (__m512i)(rounded(lanes.part[0]) >> 16));
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(words));
#else
    constexpr int half = PARTS / 2;
    for (int i = 0; i < half; i++) {
        Words words = (rounded(lanes.part[i]) >> 16) | (rounded(lanes.part[i + half]) & 0xffff0000u);
        memcpy(to + i * 2 * WIDTH, &words, sizeof words);
    }
#endif
}

// The same for the last `count` < 16 elements of a row: nothing past them is read or written, and `missing` stands for
// what is not there.
template <typename T> KILN_INLINE Lanes load_tail(const T *from, size_t count, T missing = {}) {
    T full[LANES];
    for (T &element : full) element = missing;
    memcpy(full, from, count * sizeof(T));
    return load_lanes(full);
}

template <typename T> KILN_INLINE void store_tail(T *to, const Lanes &lanes, size_t count) {
    T full[LANES];
    store_lanes(full, lanes);
    memcpy(to, full, count * sizeof(T));
}

template <typename T> KILN_INLINE Lanes load_some(const T *from, size_t count) {
    return count == LANES ? load_lanes(from) : load_tail(from, count);
}

template <typename T> KILN_INLINE void store_some(T *to, const Lanes &lanes, size_t count) {
    if (count == LANES)
        store_lanes(to, lanes);
    else
        store_tail(to, lanes, count);
}

KILN_INLINE float widened(float value) { return value; }

KILN_INLINE float widened(bf16 value) {
    uint32_t word = (uint32_t)value.bits << 16;
    float wide;
    memcpy(&wide, &word, sizeof wide);
    return wide;
}

KILN_INLINE void narrow(float value, float *to) { *to = value; }

KILN_INLINE void narrow(float value, bf16 *to) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    uint32_t nearest = value == value ? word + 0x7fffu + ((word >> 16) & 1u) : 0x7fc00000u;
    to->bits = (uint16_t)(nearest >> 16);
}

// e to the x as a power of two, its exponent still in the low bits, and a factor between 0.7 and 1.5.
struct Exponential {
    Floats shifted, factor;
};

KILN_INLINE Exponential split_exponential(Floats x) {
    const Floats magic = broadcast(12582912.0f); // 1.5 * 2^23: adding it leaves the integer in the low bits
    const Floats shifted = fma(x, broadcast(1.44269504f), magic), whole = shifted - magic;
    Floats rest = fma(whole, broadcast(-0.693359375f), x);
    rest = fma(whole, broadcast(2.12194440e-4f), rest);
    Floats power = broadcast(1.9875691500e-4f);
    power = fma(power, rest, broadcast(1.3981999507e-3f));
    power = fma(power, rest, broadcast(8.3334519073e-3f));
    power = fma(power, rest, broadcast(4.1665795894e-2f));
    power = fma(power, rest, broadcast(1.6666665459e-1f));
    power = fma(power, rest, broadcast(5.0000001201e-1f));
    return {shifted, fma(power, rest * rest, rest) + 1.0f};
}

// e to the x, within about one unit in the last place; 0 below about -87, infinity above 88.72.
KILN_INLINE Floats exponential(Floats x) {
    const Floats lowest = broadcast(-87.33654f), highest = broadcast(88.72283f);
    const Floats clamped = x < lowest ? lowest : x;
    const Exponential split = split_exponential(clamped > highest ? highest : clamped);
    // Twice half the power of two: 2^128 has no exponent of its own.
    Floats result = split.factor * (Floats)(((Words)split.shifted + 126u) << 23) * 2.0f;
    result = x > highest ? broadcast(INFINITY) : result;
    return x < lowest ? Floats{} : result;
}

// The same where x is at most 0.
KILN_INLINE Floats decay(Floats x) {
    const Floats lowest = broadcast(-87.33654f);
    const Exponential split = split_exponential(x < lowest ? lowest : x);
    const Floats result = split.factor * (Floats)(((Words)split.shifted + 127u) << 23);
    return x < lowest ? Floats{} : result;
}

} // namespace kiln
