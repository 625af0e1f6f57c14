// AVX-512 for a machine without it, as far as the kernels use it: the code for wide vectors runs, slowly, so that it can
// be tested. Found before the compiler's own header, and compiled for AVX2 with fused operations.
#pragma once

#include_next <immintrin.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace emulated {

typedef float Floats __attribute__((vector_size(64)));
typedef int32_t Ints __attribute__((vector_size(64)));
typedef uint16_t Halves __attribute__((vector_size(32)));

inline Floats fmadd(Floats a, Floats b, Floats c) {
    for (int i = 0; i < 16; i++) c[i] = fmaf(a[i], b[i], c[i]);
    return c;
}

inline Ints widen(Halves from) { return __builtin_convertvector(from, Ints); }

inline Halves narrow(Ints from) { return __builtin_convertvector(from, Halves); }

inline Ints permute(Ints order, Ints from) { return __builtin_shuffle(from, order); }

inline float half(uint32_t word) {
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

// Of each pair first the odd elements, then the even ones, each rounded once; denormals are kept, unlike on machines.
inline Floats dot_pairs(Floats sum, Ints a, Ints b) {
    for (int i = 0; i < 16; i++) {
        const uint32_t x = (uint32_t)a[i], y = (uint32_t)b[i];
        sum[i] = fmaf(half(x & 0xffff0000u), half(y & 0xffff0000u), sum[i]);
        sum[i] = fmaf(half(x << 16), half(y << 16), sum[i]);
    }
    return sum;
}

} // namespace emulated

#define _mm512_fmadd_ps(a, b, c) ((__m512)emulated::fmadd((emulated::Floats)(a), (emulated::Floats)(b), (emulated::Floats)(c)))
#undef _mm512_setr_epi32
#define _mm512_setr_epi32(...) ((__m512i)emulated::Ints{__VA_ARGS__})
#define _mm512_set1_epi32(value) ((__m512i)(emulated::Ints{} + (value)))
#define _mm512_slli_epi32(a, count) ((__m512i)((emulated::Ints)(a) << (count)))
#define _mm512_cvtepu16_epi32(a) ((__m512i)emulated::widen((emulated::Halves)(a)))
#define _mm512_cvtepi32_epi16(a) ((__m256i)emulated::narrow((emulated::Ints)(a)))
#define _mm512_permutexvar_epi32(order, a) ((__m512i)emulated::permute((emulated::Ints)(order), (emulated::Ints)(a)))
#define _mm512_dpbf16_ps(sum, a, b) ((__m512)emulated::dot_pairs((emulated::Floats)(sum), (emulated::Ints)(a), (emulated::Ints)(b)))

#define __AVX512F__ 1
#if defined(KILN_EMULATE_BF16)
#define __AVX512BF16__ 1
#endif
