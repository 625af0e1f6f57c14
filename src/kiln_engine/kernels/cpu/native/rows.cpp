// What works on one row at a time: norms, the gated activation, rotation and the write into the cache.
#include <algorithm>
#include <cmath>

#include "abi.h"
#include "lanes.h"
#include "memory.h"

namespace kiln {
namespace {

// Fewer elements than this are done sooner than threads are woken.
constexpr size_t WORTH_THREADS = 16 * 1024;
constexpr int MAX_HEAD_DIM = 256;

// Calls `body(offset, count)` for each group of sixteen in a row; count is less only for the last.
template <typename Body> KILN_INLINE void each_group(size_t width, Body body) {
    size_t k = 0;
    for (; k + LANES <= width; k += LANES) body(k, (size_t)LANES);
    if (k < width) body(k, width - k);
}

KILN_INLINE float inverse_root(const Lanes &squares, size_t width, float eps) {
    return 1.0f / sqrtf(sum(squares) / (float)width + eps);
}

template <typename T> void norm(const T *x, const T *weight, float eps, T *y, size_t width) {
    Lanes squares = {};
    each_group(width, [&](size_t k, size_t count) __attribute__((always_inline)) {
        Lanes values = load_some(x + k, count);
        for (int i = 0; i < PARTS; i++) squares.part[i] = fma(values.part[i], values.part[i], squares.part[i]);
    });
    const float factor = inverse_root(squares, width, eps);
    each_group(width, [&](size_t k, size_t count) __attribute__((always_inline)) {
        Lanes values = load_some(x + k, count), weights = load_some(weight + k, count);
        for (int i = 0; i < PARTS; i++) values.part[i] = values.part[i] * factor * weights.part[i];
        store_some(y + k, values, count);
    });
}

template <typename T> void add(const T *x, const T *residual, T *total, size_t width) {
    each_group(width, [&](size_t k, size_t count) __attribute__((always_inline)) {
        Lanes values = load_some(x + k, count), others = load_some(residual + k, count);
        for (int i = 0; i < PARTS; i++) values.part[i] += others.part[i];
        store_some(total + k, values, count);
    });
}

template <typename T> void add_norm(const T *x, const T *residual, const T *weight, float eps, T *y, T *total,
                                    size_t rows, size_t width, int num_threads) {
#pragma omp parallel for num_threads(num_threads) schedule(static) if (rows * width > WORTH_THREADS)
    for (size_t row = 0; row < rows; row++) {
        const T *normed = x + row * width;
        if (residual) {
            add(normed, residual + row * width, total + row * width, width);
            normed = total + row * width;
        }
        norm(normed, weight, eps, y + row * width, width);
    }
}

template <typename T> void act_mul(const T *gate_up, T *y, size_t rows, size_t width, int num_threads) {
#pragma omp parallel for num_threads(num_threads) schedule(static) if (rows * width > WORTH_THREADS)
    for (size_t row = 0; row < rows; row++) {
        const T *gates = gate_up + row * 2 * width, *ups = gates + width;
        each_group(width, [&](size_t k, size_t count) __attribute__((always_inline)) {
            Lanes gate = load_some(gates + k, count), up = load_some(ups + k, count);
            for (int i = 0; i < PARTS; i++)
                gate.part[i] = gate.part[i] / (1.0f + exponential(-gate.part[i])) * up.part[i];
            store_some(y + row * width + k, gate, count);
        });
    }
}

// One head's values in their order, [D] with room to whole lanes.
struct Head {
    alignas(64) float value[MAX_HEAD_DIM + LANES];
};

template <typename T> void read(Head &head, const T *from, const T *weight, float eps, size_t width) {
    for (size_t i = 0; i < width; i++) head.value[i] = widened(from[i]);
    if (!weight) return;
    for (size_t i = width; i % LANES; i++) head.value[i] = 0.0f;
    Lanes squares = {};
    for (size_t k = 0; k < width; k += LANES) {
        Lanes values = load_lanes(head.value + k);
        for (int i = 0; i < PARTS; i++) squares.part[i] = fma(values.part[i], values.part[i], squares.part[i]);
    }
    const float factor = inverse_root(squares, width, eps);
    for (size_t i = 0; i < width; i++) head.value[i] = head.value[i] * factor * widened(weight[i]);
}

// Pairs are (i, i + D / 2).
template <typename T> void rotate(const Head &head, const float *cos, const float *sin, T *to, size_t width) {
    const size_t half = width / 2;
    const float *first = head.value, *second = head.value + half;
    for (size_t i = 0; i < half; i++) narrow(first[i] * cos[i] - second[i] * sin[i], to + i);
    for (size_t i = 0; i < half; i++) narrow(second[i] * cos[i] + first[i] * sin[i], to + half + i);
}

template <typename T> struct RopeWrite {
    const T *qkv;
    KilnHeads heads;
    const T *query_weight, *key_weight;
    float eps;
    const float *cos, *sin;
    const int32_t *positions, *slots;
    T *query, *keys, *values;

    void row(size_t index) const {
        const size_t dim = heads.head_dim, half = dim / 2;
        const T *from = qkv + index * (heads.num_heads + 2 * heads.num_kv_heads) * dim;
        const float *own_cos = cos + (size_t)positions[index] * half, *own_sin = sin + (size_t)positions[index] * half;
        Head head;
        for (int64_t h = 0; h < heads.num_heads; h++, from += dim) {
            read(head, from, query_weight, eps, dim);
            rotate(head, own_cos, own_sin, query + (index * heads.num_heads + h) * dim, dim);
        }
        const T *value = from + heads.num_kv_heads * dim;
        for (int64_t h = 0; h < heads.num_kv_heads; h++, from += dim, value += dim) {
            const size_t place = cache_place(slots[index], h);
            read(head, from, key_weight, eps, dim);
            rotate(head, own_cos, own_sin, keys + place, dim);
            memcpy((void *)(values + place), value, dim * sizeof(T));
        }
    }

    size_t cache_place(int64_t slot, int64_t head) const {
        const int64_t block = slot / heads.block_size, offset = slot % heads.block_size;
        return (size_t)((block * heads.num_kv_heads + head) * heads.block_size + offset) * heads.head_dim;
    }
};

template <typename T> void rope_write(const RopeWrite<T> &work, size_t rows, size_t width, int num_threads) {
#pragma omp parallel for num_threads(num_threads) schedule(static) if (rows * width > WORTH_THREADS)
    for (size_t row = 0; row < rows; row++) work.row(row);
}

// Four streams, a share of the memory each: the fastest way of reading that was found.
uint64_t read_words(const uint64_t *words, size_t share) {
    typedef uint64_t Wide __attribute__((vector_size(32)));
    Wide sums[4] = {};
    for (size_t i = 0; i < share; i += 8)
#pragma GCC unroll 4
        for (int stream = 0; stream < 4; stream++) {
            Wide first, second;
            memcpy(&first, words + stream * share + i, sizeof first);
            memcpy(&second, words + stream * share + i + 4, sizeof second);
            sums[stream] ^= first ^ second;
        }
    const Wide all = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
    return all[0] ^ all[1] ^ all[2] ^ all[3];
}

} // namespace
} // namespace kiln

#define KILN_BY_TYPE(type, T, call)                                                                                    \
    if (type == KILN_FLOAT32) {                                                                                        \
        using T = float;                                                                                               \
        call;                                                                                                          \
        return kiln::OK;                                                                                               \
    }                                                                                                                  \
    if (type == KILN_BFLOAT16) {                                                                                       \
        using T = kiln::bf16;                                                                                          \
        call;                                                                                                          \
        return kiln::OK;                                                                                               \
    }                                                                                                                  \
    return kiln::BAD_TYPE

int kiln_abi() { return 4; }

int kiln_add_norm(int type, const void *x, const void *residual, const void *weight, float eps, void *y, void *total,
                  size_t rows, size_t width, int num_threads) {
    KILN_BY_TYPE(type, T,
                 kiln::add_norm((const T *)x, (const T *)residual, (const T *)weight, eps, (T *)y, (T *)total, rows,
                                width, num_threads));
}

int kiln_act_mul(int type, const void *gate_up, void *y, size_t rows, size_t width, int num_threads) {
    KILN_BY_TYPE(type, T, kiln::act_mul((const T *)gate_up, (T *)y, rows, width, num_threads));
}

int kiln_rope_write(int type, const void *qkv, const KilnHeads *heads, const void *query_weight, const void *key_weight,
                    float eps, const float *cos, const float *sin, const int32_t *positions, const int32_t *slots,
                    void *query, void *keys, void *values, size_t rows, int num_threads) {
    const size_t width = (heads->num_heads + 2 * heads->num_kv_heads) * heads->head_dim;
    KILN_BY_TYPE(
        type, T,
        kiln::rope_write(kiln::RopeWrite<T>{(const T *)qkv, *heads, (const T *)query_weight, (const T *)key_weight, eps,
                                            cos, sin, positions, slots, (T *)query, (T *)keys, (T *)values},
                         rows, width, num_threads));
}

int kiln_read(const void *memory, size_t num_bytes, uint64_t *sink, int num_threads) {
    constexpr size_t SHARE = 4096;
    const uint64_t *words = (const uint64_t *)memory;
    const size_t items = num_bytes / 8 / (4 * SHARE);
    uint64_t total = 0;
#pragma omp parallel for num_threads(num_threads) schedule(static) reduction(^ : total)
    for (size_t item = 0; item < items; item++) total ^= kiln::read_words(words + item * 4 * SHARE, SHARE);
    *sink = total;
    return kiln::OK;
}
