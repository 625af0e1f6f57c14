// One chunk of a context, for queries that see the same part of it: scores, weights, values.
#pragma once

#include <algorithm>

#include "lanes.h"

namespace kiln {

constexpr int CHUNK = 32, GROUPS = CHUNK / LANES;

// One query as it goes through its positions.
struct Query {
    float *value; // [width], in the working form
    float *mixed; // [width]: the values so far, by weight
    float maximum, total;
    int64_t first, last; // positions that it sees
};

// Rows of keys or values: the place of each of a chunk's positions, in bytes from `base`, and the size of an element.
struct Rows {
    const char *base;
    const size_t *places;
    size_t element;

    KILN_INLINE const char *row(int position) const { return base + places[position]; }
    // Into the second-level cache: the first has no room for what comes later.
    KILN_INLINE void bring(int position, size_t column) const {
        if (places) __builtin_prefetch(row(position) + column * element, 0, 2);
    }
};

// A chunk's keys and values, and what is brought nearer while scores are worked out and while values are mixed.
struct Chunk {
    Rows keys, values, during_scores, during_mix;
};

// The positions of a chunk that a query sees, in the order in which it takes them: those of the first and the second
// half take turns, so that memory is read in two places at once.
struct Order {
    int positions[CHUNK];
    int count = 0;

    Order(int first, int last) {
        for (int i = 0; i < CHUNK / 2; i++)
            for (int position : {i, i + CHUNK / 2})
                if (position >= first && position < last) positions[count++] = position;
    }
};

// Scores of Q queries with keys at K positions; their parts take turns where registers do not hold them all.
template <int Q, int K, typename E> KILN_INLINE void scores_of(Query *const *queries, const Chunk &chunk,
                                                               const int *positions, size_t width, float scale,
                                                               float (*scores)[CHUNK]) {
    constexpr int AT_ONCE = Q * K * PARTS <= 8 ? PARTS : 1, TURNS = PARTS / AT_ONCE;
    Lanes products[Q][K];
    const E *keys[K];
    for (int j = 0; j < K; j++) keys[j] = (const E *)(const void *)chunk.keys.row(positions[j]);
#pragma GCC unroll 4
    for (int turn = 0; turn < TURNS; turn++) {
        Floats total[Q][K][AT_ONCE] = {};
        for (size_t k = 0; k < width; k += LANES) {
            for (int j = turn * K / TURNS; j < (turn + 1) * K / TURNS; j++) chunk.during_scores.bring(positions[j], k);
#pragma GCC unroll 4
            for (int i = 0; i < AT_ONCE; i++) {
                const int part = turn * AT_ONCE + i;
                Floats own[Q];
                for (int q = 0; q < Q; q++) own[q] = held(load(queries[q]->value + k + part * WIDTH));
                for (int j = 0; j < K; j++) {
                    const Floats key = held(load_part(keys[j] + k, part));
                    for (int q = 0; q < Q; q++) total[q][j][i] = fma(own[q], key, total[q][j][i]);
                }
            }
        }
        for (int q = 0; q < Q; q++)
            for (int j = 0; j < K; j++)
                for (int i = 0; i < AT_ONCE; i++) products[q][j].part[turn * AT_ONCE + i] = total[q][j][i];
    }
    constexpr int COUNT = (Q * K + 3) / 4 * 4;
    Quad rest[COUNT];
    alignas(16) float totals[COUNT];
    for (int i = 0; i < COUNT; i++) rest[i] = i < Q * K ? quarter(products[i / K][i % K]) : rest[0];
    for (int i = 0; i < COUNT; i += 4) {
        const Quad four = sums(rest[i], rest[i + 1], rest[i + 2], rest[i + 3]) * scale;
        memcpy(totals + i, &four, sizeof four);
    }
    for (int i = 0; i < Q * K; i++) scores[i / K][positions[i % K]] = totals[i];
}

// Takes up the chunk's maximum; turns scores into weights. Returns what the values so far are to be multiplied with.
KILN_INLINE float take_up(Query &query, float *scores) {
    Lanes group[GROUPS];
    for (int g = 0; g < GROUPS; g++) group[g] = load_lanes(scores + g * LANES);
    Lanes folded = group[0];
    for (int g = 1; g < GROUPS; g++)
        for (int i = 0; i < PARTS; i++) folded.part[i] = Larger()(folded.part[i], group[g].part[i]);
    const float highest = maximum(folded);
    float kept = 1.0f;
    if (!(highest <= query.maximum)) {
        kept = exponential(broadcast(query.maximum - highest))[0];
        query.maximum = highest;
    }
    const Floats base = broadcast(query.maximum);
    for (int g = 0; g < GROUPS; g++) {
        for (int i = 0; i < PARTS; i++) group[g].part[i] = exponential(group[g].part[i] - base);
        store_lanes(scores + g * LANES, group[g]);
    }
    for (int g = 1; g < GROUPS; g++)
        for (int i = 0; i < PARTS; i++) group[0].part[i] += group[g].part[i];
    query.total = query.total * kept + sum(group[0]);
    return kept;
}

// mixed = mixed * kept + weights x values, for S stretches of sixteen columns.
template <int Q, int S, typename E> KILN_INLINE void mix_stretch(Query *const *queries, const float (*weights)[CHUNK],
                                                                 const float *kept, const Chunk &chunk,
                                                                 const Order &order, size_t column) {
    Lanes mixed[Q][S];
    for (int q = 0; q < Q; q++)
        for (int s = 0; s < S; s++) {
            mixed[q][s] = load_lanes(queries[q]->mixed + column + s * LANES);
            for (int i = 0; i < PARTS; i++) mixed[q][s].part[i] *= kept[q];
        }
    for (int index = 0; index < order.count; index++) {
        const int j = order.positions[index];
        const E *values = (const E *)(const void *)chunk.values.row(j) + column;
        for (int s = 0; s < S; s++) {
            chunk.during_mix.bring(j, column + s * LANES);
            Lanes value = load_lanes(values + s * LANES);
            for (int i = 0; i < PARTS; i++) {
                const Floats own = held(value.part[i]);
                for (int q = 0; q < Q; q++)
                    mixed[q][s].part[i] = fma(broadcast(weights[q][j]), own, mixed[q][s].part[i]);
            }
        }
    }
    for (int q = 0; q < Q; q++)
        for (int s = 0; s < S; s++) store_lanes(queries[q]->mixed + column + s * LANES, mixed[q][s]);
}

template <int Q, typename E>
void attend(Query *const *queries, const Chunk &chunk, size_t width, const Order &order, float scale) {
    constexpr int KEYS = Q == 2 ? 2 : 4, STRETCHES = Q == 1 ? 4 : 2;
    alignas(64) float scores[Q][CHUNK];
    float kept[Q];
    for (int q = 0; q < Q; q++) std::fill(scores[q], scores[q] + CHUNK, -INFINITY);
    int index = 0;
    for (; index + KEYS <= order.count; index += KEYS)
        scores_of<Q, KEYS, E>(queries, chunk, order.positions + index, width, scale, scores);
    for (; index < order.count; index++)
        scores_of<Q, 1, E>(queries, chunk, order.positions + index, width, scale, scores);
    for (int q = 0; q < Q; q++) kept[q] = take_up(*queries[q], scores[q]);
    size_t column = 0;
    for (; column + STRETCHES * LANES <= width; column += STRETCHES * LANES)
        mix_stretch<Q, STRETCHES, E>(queries, scores, kept, chunk, order, column);
    for (; column < width; column += LANES) mix_stretch<Q, 1, E>(queries, scores, kept, chunk, order, column);
}

// Queries that all see the same part of a chunk.
template <typename E>
void attend_all(Query *const *queries, int count, Chunk chunk, size_t width, const Order &order, float scale) {
    while (count) {
        const int now = count > 4 || count == 3 ? 3 : std::min(count, 2);
        if (now == 3) attend<3, E>(queries, chunk, width, order, scale);
        if (now == 2) attend<2, E>(queries, chunk, width, order, scale);
        if (now == 1) attend<1, E>(queries, chunk, width, order, scale);
        count -= now, queries += now;
        chunk.during_scores.places = chunk.during_mix.places = nullptr; // asked for already
    }
}

} // namespace kiln
