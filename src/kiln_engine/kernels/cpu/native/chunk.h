// One chunk of a context, for queries that see the same part of it: scores, weights, values.
#pragma once

#include <algorithm>
#include <type_traits>

#include "lanes.h"

namespace kiln {

constexpr int CHUNK = 64, QUARTERS = 4, QUARTER = CHUNK / QUARTERS;
// Queries that are worked on at once at most.
constexpr int QUERIES_AT_ONCE = 96;
// Positions that stay in the first-level cache while queries pass over them, and columns of values that do.
constexpr int NEAR = 16, PANEL = 2 * LANES;

// One query as it goes through its positions.
struct Query {
    float *value; // [width], in the working form
    float *mixed; // [width]: the values so far, by weight
    float maximum, total;
    int64_t first, last; // positions that it sees
};

// The positions of a chunk that a query sees, in the order in which it takes them: the four quarters take turns, so
// that memory is read in four places at once, which is as fast as processors do by themselves.
struct Order {
    int positions[CHUNK + 3]; // with the last once more, for what comes by fours
    int count = 0;

    Order(int first, int last) {
        for (int i = 0; i < QUARTER; i++)
            for (int position = i; position < CHUNK; position += QUARTER) {
                positions[count] = position;
                count += position >= first && position < last;
            }
        std::fill(positions + count, positions + count + 3, positions[count - 1]);
    }
};

// Keys or values of a chunk, `places` in bytes from `base`.
template <typename E> struct Rows {
    const char *base;
    const size_t *places;

    KILN_INLINE const E *row(int index) const { return (const E *)(const void *)(base + places[index]); }
};

typedef float (*Scores)[CHUNK]; // of each query in the order of its positions: then weights

// Q queries times the keys at four positions; parts take turns where registers do not hold all sums.
template <int Q, typename E, typename Width>
KILN_INLINE void products(const Query *queries, const E *const *keys, Width width, Lanes (&sums)[Q][4]) {
    constexpr int AT_ONCE = Q * 4 * PARTS <= 8 ? PARTS : 1;
    const float *values[Q];
    for (int q = 0; q < Q; q++) values[q] = queries[q].value;
#pragma GCC unroll 4
    for (int turn = 0; turn < PARTS; turn += AT_ONCE) {
        Floats total[Q][4][AT_ONCE] = {};
        for (size_t k = 0; k < width; k += LANES)
#pragma GCC unroll 4
            for (int i = 0; i < AT_ONCE; i++) {
                Floats own[Q];
                for (int q = 0; q < Q; q++) own[q] = held(load(values[q] + k + (turn + i) * WIDTH));
                for (int j = 0; j < 4; j++) {
                    const Floats key = held(load_lanes(keys[j] + k).part[turn + i]);
                    for (int q = 0; q < Q; q++) total[q][j][i] = fma(own[q], key, total[q][j][i]);
                }
            }
        for (int q = 0; q < Q; q++)
            for (int j = 0; j < 4; j++)
                for (int i = 0; i < AT_ONCE; i++) sums[q][j].part[turn + i] = total[q][j][i];
    }
}

// Scores of Q queries with keys `first` to `last` - 1 of the order. Up to three more are read and written.
template <int Q, typename E, typename Width>
KILN_APART void score(const Query *queries, Rows<E> keys, int first, int last, Width width, float scale,
                      Scores scores) {
    for (int index = first; index < last; index += 4) {
        const E *rows[4];
        for (int j = 0; j < 4; j++) rows[j] = keys.row(index + j);
        Lanes sums[Q][4];
        products<Q>(queries, rows, width, sums);
        Quad fours[Q + 1];
        for (int q = 0; q < Q; q += 2) kiln::sums(sums[q], sums[std::min(q + 1, Q - 1)], fours[q], fours[q + 1]);
        for (int q = 0; q < Q; q++) {
            const Quad four = fours[q] * scale;
            memcpy(scores[q] + index, &four, sizeof four);
        }
    }
}

// Takes up the chunk's maximum, scales what there is by it, and turns `count` scores into weights.
KILN_APART inline void take_up(Query &query, float *scores, int count, size_t width) {
    const int groups = (count + LANES - 1) / LANES;
    std::fill(scores + count, scores + groups * LANES, -INFINITY);
    Lanes folded = load_lanes(scores);
    for (int g = 1; g < groups; g++) {
        const Lanes group = load_lanes(scores + g * LANES);
        for (int i = 0; i < PARTS; i++) folded.part[i] = Larger()(folded.part[i], group.part[i]);
    }
    const float highest = maximum(folded);
    if (!(highest <= query.maximum)) {
        const Floats kept = decay(broadcast(query.maximum - highest));
        query.maximum = highest;
        query.total *= kept[0];
        for (size_t k = 0; k < width; k += WIDTH) store(query.mixed + k, load(query.mixed + k) * kept);
    }
    const Floats base = broadcast(query.maximum);
    Lanes total = {};
    for (int g = 0; g < groups; g++) {
        Lanes group = load_lanes(scores + g * LANES);
        for (int i = 0; i < PARTS; i++) {
            group.part[i] = decay(group.part[i] - base);
            total.part[i] += group.part[i];
        }
        store_lanes(scores + g * LANES, group);
    }
    query.total += sum(total);
}

// mixed += weights x values at K positions, in all columns: values are read along their rows.
template <int Q, int K, typename E, typename Width>
KILN_INLINE void mix_rows(float *const *mixed, const Rows<E> &values, Scores weights, int index, Width width) {
    const E *rows[K];
    for (int j = 0; j < K; j++) rows[j] = values.row(index + j);
    Floats weight[Q][K];
    for (int q = 0; q < Q; q++)
        for (int j = 0; j < K; j++) weight[q][j] = broadcast(weights[q][index + j]);
    for (size_t k = 0; k < width; k += LANES) {
        Lanes own[Q];
        for (int q = 0; q < Q; q++) own[q] = load_lanes(mixed[q] + k);
        for (int j = 0; j < K; j++) {
            const Lanes value = load_lanes(rows[j] + k);
            for (int i = 0; i < PARTS; i++) {
                const Floats part = held(value.part[i]);
                for (int q = 0; q < Q; q++) own[q].part[i] = fma(weight[q][j], part, own[q].part[i]);
            }
        }
        for (int q = 0; q < Q; q++) store_lanes(mixed[q] + k, own[q]);
    }
}

template <int Q, typename E, typename Width>
KILN_APART void mix(const Query *queries, Rows<E> values, int first, int last, Scores weights, Width width) {
    float *mixed[Q];
    for (int q = 0; q < Q; q++) mixed[q] = queries[q].mixed;
    int index = first;
    for (; index + 4 <= last; index += 4) mix_rows<Q, 4>(mixed, values, weights, index, width);
    for (; index < last; index++) mix_rows<Q, 1>(mixed, values, weights, index, width);
}

// The same for S stretches of sixteen columns, which stay in registers.
template <int Q, int S>
KILN_APART void mix_panel(const Query *queries, const float *panel, const Order &order, Scores weights, size_t column) {
    Lanes mixed[Q][S];
    for (int q = 0; q < Q; q++)
        for (int s = 0; s < S; s++) mixed[q][s] = load_lanes(queries[q].mixed + column + s * LANES);
    for (int index = 0; index < order.count; index++) {
        const float *values = panel + order.positions[index] * PANEL;
        Floats weight[Q];
        for (int q = 0; q < Q; q++) weight[q] = broadcast(weights[q][index]);
        for (int s = 0; s < S; s++)
            for (int i = 0; i < PARTS; i++) {
                const Floats own = held(load(values + s * LANES + i * WIDTH));
                for (int q = 0; q < Q; q++) mixed[q][s].part[i] = fma(weight[q], own, mixed[q][s].part[i]);
            }
    }
    for (int q = 0; q < Q; q++)
        for (int s = 0; s < S; s++) store_lanes(queries[q].mixed + column + s * LANES, mixed[q][s]);
}

template <int N> using Size = std::integral_constant<int, N>;

// Calls `body(Size<Q>, first)` for all of `count` queries, Q of them at a time: MOST, and what is left.
template <int MOST, typename Body> KILN_INLINE void abreast(int count, Body body) {
    int first = 0;
    for (; first + MOST <= count; first += MOST) body(Size<MOST>(), first);
    if (MOST > 2 && count - first == 2) body(Size<2>(), first);
    if (count - first == 1) body(Size<1>(), first);
}

// Calls `body` with the width, as a constant where it is a usual one: its loops are then unrolled.
template <typename Body> KILN_INLINE void with_width(size_t width, Body body) {
    if (width == 128) return body(std::integral_constant<size_t, 128>());
    if (width == 64) return body(std::integral_constant<size_t, 64>());
    body(width);
}

// Few queries: keys and values, in the order of their positions, are used as they are in memory. `meanwhile(0)` is
// called before the keys are read, `meanwhile(1)` before the values are.
template <typename E, typename Meanwhile>
void attend(Query *queries, int count, Rows<E> keys, Rows<E> values, size_t width, int seen, float scale,
            Meanwhile meanwhile) {
    alignas(64) float scores[QUERIES_AT_ONCE][CHUNK];
    const int step = count > 2 ? NEAR : CHUNK;
    with_width(width, [&](auto width) {
        meanwhile(0);
        for (int index = 0; index < seen; index += step)
            abreast<2>(count, [&](auto size, int q) {
                score<size()>(queries + q, keys, index, std::min(index + step, seen), width, scale, scores + q);
            });
        for (int q = 0; q < count; q++) take_up(queries[q], scores[q], seen, width);
        meanwhile(1);
        for (int index = 0; index < seen; index += step)
            abreast<2>(count, [&](auto size, int q) {
                mix<size()>(queries + q, values, index, std::min(index + step, seen), scores + q, width);
            });
    });
}

// Many: all of them pass over a few keys, then over some columns of the values, that stay near. Values are in panels:
// their first columns at all positions of the chunk, then the next columns.
inline void attend_many(Query *queries, int count, Rows<float> keys, const float *values, size_t width,
                        const Order &order, float scale) {
    alignas(64) float scores[QUERIES_AT_ONCE][CHUNK];
    with_width(width, [&](auto width) {
        for (int index = 0; index < order.count; index += NEAR)
            abreast<3>(count, [&](auto size, int q) {
                score<size()>(queries + q, keys, index, std::min(index + NEAR, order.count), width, scale, scores + q);
            });
    });
    for (int q = 0; q < count; q++) take_up(queries[q], scores[q], order.count, width);
    for (size_t column = 0; column < width; column += PANEL)
        abreast<3>(count, [&](auto size, int q) {
            const float *panel = values + column * CHUNK;
            if (column + PANEL <= width)
                mix_panel<size(), 2>(queries + q, panel, order, scores + q, column);
            else
                mix_panel<size(), 1>(queries + q, panel, order, scores + q, column);
        });
}

} // namespace kiln
