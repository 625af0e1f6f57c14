// Paged causal attention, prompt rows and decode rows alike: a query is one head of one row.
//
// A query takes its positions in chunks, from its first to its own, with a running maximum and sum. Chunks begin at
// multiples of their size, whatever is computed beside the query and wherever its blocks lie, so its bits are its own.
// Queries that share a key-value head are worked on together: each of its blocks is read once for all of them.
#include <algorithm>

#include "abi.h"
#include "chunk.h"
#include "memory.h"

namespace kiln {
namespace {

// Threads take items; with fewer than this for each, one of them would often wait for the other.
constexpr int ITEMS_PER_THREAD = 4;
// From so many queries on, keys and values are widened and put in order once for all of them.
constexpr int MANY_QUERIES = 17;
// What is asked for ahead of the start of each stretch of memory; from there on, processors read ahead by themselves.
constexpr int AHEAD = 4, LINE = 64;

template <typename T> struct Attention {
    const T *query, *keys, *values;
    KilnHeads heads;
    const int32_t *row_offsets, *context_lens, *block_offsets, *block_ids;
    float scale;
    int64_t window;
    T *out;

    int64_t group() const { return heads.num_heads / heads.num_kv_heads; }
    size_t width() const { return (size_t)(heads.head_dim + LANES - 1) / LANES * LANES; }
    int64_t rows_at_once() const { return std::max<int64_t>(QUERIES_AT_ONCE / group(), 1); }
};

// ---- one tile of rows ------------------------------------------------------------------------------------------

// Rows first_row to last_row - 1 of a sequence with key-value heads first_head to last_head - 1. Heads lie side by side
// in a block: taken together, they make long stretches of memory, in which processors read ahead by themselves.
struct Extent {
    int64_t sequence, first_row, last_row, first_head, last_head;
};

template <typename T> struct Tile {
    const Attention<T> &work;
    const Extent extent;
    Query *queries; // head by head, in each row by row
    float *staged_keys, *staged_values;

    // Of one key-value head.
    int64_t num_queries() const { return (extent.last_row - extent.first_row) * work.group(); }
    int64_t num_heads() const { return extent.last_head - extent.first_head; }

    // Calls `body(query, row, head)` for all queries in their order.
    template <typename Body> void each_query(Body body) const {
        Query *next = queries;
        for (int64_t head = extent.first_head; head < extent.last_head; head++)
            for (int64_t row = extent.first_row; row < extent.last_row; row++)
                for (int64_t member = 0; member < work.group(); member++)
                    body(*next++, row, head * work.group() + member);
    }

    size_t place(int64_t row, int64_t head) const {
        return (size_t)((row * work.heads.num_heads + head) * work.heads.head_dim);
    }

    void begin(float *room) const {
        const size_t width = work.width(), all = (size_t)(num_queries() * num_heads()) * width;
        const int64_t to_come = work.row_offsets[extent.sequence + 1];
        each_query([&](Query &query, int64_t row, int64_t head) {
            const int64_t own = work.context_lens[extent.sequence] - (to_come - row);
            const int64_t first = work.window ? std::max<int64_t>(own - work.window + 1, 0) : 0;
            query = {room, room + all, -INFINITY, 0.0f, first, own};
            stage(work.query + place(row, head), work.heads.head_dim, room);
            room += width;
        });
        memset(room, 0, all * sizeof(float));
    }

    void end() const {
        const size_t dim = work.heads.head_dim;
        each_query([&](const Query &query, int64_t row, int64_t head) {
            T *to = work.out + place(row, head);
            for (size_t k = 0; k < dim; k += LANES) {
                Lanes lanes = load_lanes(query.mixed + k);
                for (int i = 0; i < PARTS; i++) lanes.part[i] /= query.total;
                if (k + LANES <= dim)
                    store_lanes(to + k, lanes);
                else
                    store_tail(to + k, lanes, dim - k);
            }
        });
    }

    static void stage(const T *from, size_t dim, float *to) {
        size_t k = 0;
        for (; k + LANES <= dim; k += LANES) store_lanes(to + k, load_lanes(from + k));
        if (k < dim) store_lanes(to + k, load_tail(from + k, dim - k));
    }

    static void stage_in_panels(const T *from, size_t dim, float *to) {
        for (size_t k = 0; k < dim; k += PANEL) stage(from + k, std::min<size_t>(dim - k, PANEL), to + k * CHUNK);
    }

    void run() const {
        const int64_t first = queries[0].first / CHUNK * CHUNK, last = queries[num_queries() - 1].last;
        const bool many = num_queries() >= MANY_QUERIES || (size_t)work.heads.head_dim != work.width();
        size_t own[CHUNK], next[CHUNK];
        int count = places(first, last, own);
        for (int64_t start = first; start <= last; start += CHUNK) {
            const int more = places(start + CHUNK, last, next);
            if (many)
                for (int64_t head = 0; head < num_heads(); head++) chunk_of_many(start, count, head, own);
            else
                chunk_of_few(start, count, own, more ? next : own, more ? more : count);
            std::copy(next, next + more, own);
            count = more;
        }
    }

    // Where the keys and values of positions from `start` on are for the first head; how many there are of a chunk.
    int places(int64_t start, int64_t last, size_t *to) const {
        const int64_t size = work.heads.block_size, count = std::min<int64_t>(last + 1 - start, CHUNK);
        const size_t row = work.heads.head_dim * sizeof(T);
        const int32_t *table = work.block_ids + work.block_offsets[extent.sequence];
        for (int64_t at = 0; at < count;) {
            const int64_t slot = (start + at) % size, end = std::min(count, at + size - slot);
            const int64_t block = table[(start + at) / size] * work.heads.num_kv_heads + extent.first_head;
            size_t place = (size_t)(block * size + slot) * row;
            for (; at < end; at++, place += row) to[at] = place;
        }
        return (int)std::max<int64_t>(count, 0);
    }

    Rows<T> rows(const T *of, int64_t head, const size_t *at) const {
        return {(const char *)(of + head * work.heads.block_size * work.heads.head_dim), at};
    }

    // Asks for the start of each quarter of a chunk of `count` positions.
    static void bring(const Rows<T> &rows, int count) {
        for (int position = 0; position < count; position += QUARTER)
            for (int line = 0; line < AHEAD; line++)
                __builtin_prefetch((const char *)rows.row(position) + line * LINE, 0, 3);
    }

    // One row and all heads, which lie side by side in each block.
    void chunk_of_few(int64_t start, int count, const size_t *at, const size_t *next, int more) const {
        each_run(start, count, [&](int64_t first, int size, const Order &order) {
            size_t ordered[CHUNK + 3];
            for (int i = 0; i < order.count + 3; i++) ordered[i] = at[order.positions[i]];
            for (int64_t head = 0; head < num_heads(); head++)
                attend(queries + head * num_queries() + first, size, rows(work.keys, head, ordered),
                       rows(work.values, head, ordered), work.width(), order.count, work.scale, [&](int values) {
                           if (!values) return bring(rows(work.values, head, at), count);
                           const bool last = head + 1 == num_heads();
                           bring(rows(work.keys, last ? 0 : head + 1, last ? next : at), last ? more : count);
                       });
        });
    }

    void chunk_of_many(int64_t start, int count, int64_t head, const size_t *at) const {
        const Rows<T> keys = rows(work.keys, head, at), values = rows(work.values, head, at);
        const size_t width = work.width(), dim = work.heads.head_dim;
        for (int position = 0; position < count; position++) {
            stage(keys.row(position), dim, staged_keys + position * width);
            stage_in_panels(values.row(position), dim, staged_values + position * PANEL);
        }
        each_run(start, count, [&](int64_t first, int size, const Order &order) {
            size_t ordered[CHUNK + 3];
            for (int i = 0; i < order.count + 3; i++) ordered[i] = order.positions[i] * width * sizeof(float);
            attend_many(queries + head * num_queries() + first, size, {(const char *)staged_keys, ordered},
                        staged_values, width, order, work.scale);
        });
    }

    // Queries of a head, side by side, that see the same part of the chunk: all, but where it cuts through the rows.
    template <typename Body> void each_run(int64_t start, int64_t count, Body body) const {
        const auto bounded = [&](int64_t position) { return (int)std::clamp<int64_t>(position - start, 0, count); };
        for (int64_t run = 0, next = 0; run < num_queries(); run = next) {
            const int first = bounded(queries[run].first), last = bounded(queries[run].last + 1);
            while (next < num_queries() && next - run < QUERIES_AT_ONCE && bounded(queries[next].first) == first &&
                   bounded(queries[next].last + 1) == last)
                next++;
            if (first < last) body(run, (int)(next - run), Order(first, last));
        }
    }
};

// ---- all of it -------------------------------------------------------------------------------------------------

// Tiles of all sequences in one row, and heads in groups, so that threads can take them one by one.
template <typename T> struct Items {
    const Attention<T> &work;
    const size_t *ends; // of each sequence's tiles
    size_t num_sequences, num_tiles;
    int64_t heads_at_once;

    int64_t head_groups() const { return (work.heads.num_kv_heads + heads_at_once - 1) / heads_at_once; }
    size_t count() const { return num_tiles * (size_t)head_groups(); }

    // Last tiles come first: they are the longest, so that the threads end at about the same time.
    Extent extent(size_t item) const {
        const size_t tile = num_tiles - 1 - item / (size_t)head_groups();
        const int64_t sequence = std::upper_bound(ends, ends + num_sequences, tile) - ends;
        const int64_t before = sequence ? (int64_t)ends[sequence - 1] : 0;
        const int64_t head = (int64_t)(item % (size_t)head_groups()) * heads_at_once;
        const int64_t row = work.row_offsets[sequence] + ((int64_t)tile - before) * work.rows_at_once();
        return {sequence, row, std::min<int64_t>(row + work.rows_at_once(), work.row_offsets[sequence + 1]), head,
                std::min(head + heads_at_once, work.heads.num_kv_heads)};
    }
};

template <typename T> struct Workspace {
    Query *queries;
    float *room, *keys, *values;

    static Workspace create(const Attention<T> &work, int64_t heads_at_once) {
        const size_t width = work.width();
        const size_t count = (size_t)(std::max(work.rows_at_once(), heads_at_once) * work.group());
        const size_t columns = (width + PANEL - 1) / PANEL * PANEL;
        const size_t floats = count * 2 * width + CHUNK * (width + columns);
        float *memory = (float *)scratch(OWN, floats * sizeof(float) + count * sizeof(Query));
        if (!memory) return {};
        float *keys = memory + count * 2 * width, *values = keys + CHUNK * width;
        return {(Query *)(void *)(values + CHUNK * columns), memory, keys, values};
    }

    void run(const Attention<T> &work, const Extent &extent) const {
        const Tile<T> tile = {work, extent, queries, keys, values};
        tile.begin(room);
        tile.run();
        tile.end();
    }

    // Several rows use what one head brings often enough: heads take turns, so that it stays near.
    void run_by_head(const Attention<T> &work, const Extent &extent) const {
        for (int64_t head = extent.first_head; head < extent.last_head; head++)
            run(work, {extent.sequence, extent.first_row, extent.last_row, head, head + 1});
    }
};

template <typename T> int attention(const Attention<T> &work, size_t num_sequences, int num_threads) {
    size_t *ends = (size_t *)scratch(SHARED, (num_sequences + 1) * sizeof(size_t));
    if (!ends) return NO_MEMORY;
    size_t num_tiles = 0;
    for (size_t s = 0; s < num_sequences; s++) {
        const int64_t rows = work.row_offsets[s + 1] - work.row_offsets[s], most = work.rows_at_once();
        ends[s] = num_tiles += (size_t)((rows + most - 1) / most);
    }
    const int64_t num_heads = work.heads.num_kv_heads;
    const int64_t even = (int64_t)num_tiles * num_heads / (ITEMS_PER_THREAD * num_threads);
    const Items<T> items = {work, ends, num_sequences, num_tiles, std::clamp<int64_t>(even, 1, num_heads)};
    int failed = OK;
#pragma omp parallel num_threads(num_threads)
    {
        const Workspace<T> space = Workspace<T>::create(work, items.heads_at_once);
        if (!space.room) {
#pragma omp atomic write
            failed = NO_MEMORY;
        }
#pragma omp barrier
        if (failed == OK) {
#pragma omp for schedule(dynamic, 1)
            for (size_t item = 0; item < items.count(); item++) {
                const Extent extent = items.extent(item);
                if (extent.last_row - extent.first_row == 1)
                    space.run(work, extent);
                else
                    space.run_by_head(work, extent);
            }
        }
    }
    return failed;
}

} // namespace
} // namespace kiln

int kiln_attention(int type, const void *query, const void *keys, const void *values, const KilnHeads *heads,
                   const int32_t *row_offsets, const int32_t *context_lens, const int32_t *block_offsets,
                   const int32_t *block_ids, size_t num_sequences, float scale, int64_t window, void *out,
                   int num_threads) {
    using namespace kiln;
    if (type == KILN_FLOAT32)
        return attention(Attention<float>{(const float *)query, (const float *)keys, (const float *)values, *heads,
                                          row_offsets, context_lens, block_offsets, block_ids, scale, window,
                                          (float *)out},
                         num_sequences, num_threads);
    if (type == KILN_BFLOAT16)
        return attention(Attention<bf16>{(const bf16 *)query, (const bf16 *)keys, (const bf16 *)values, *heads,
                                         row_offsets, context_lens, block_offsets, block_ids, scale, window,
                                         (bf16 *)out},
                         num_sequences, num_threads);
    return BAD_TYPE;
}
