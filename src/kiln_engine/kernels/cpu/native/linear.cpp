// y = x W^T + b for any number of rows. W is [out, in] as checkpoints have it; it is read once for up to 1,024 rows.
//
// A single row streams W past itself. More rows are packed into tiles, and so is W, panel by panel, into the
// second-level cache: there all of it is float (or, where the machine multiplies it, bfloat16) in the order of use.
#include <algorithm>

#include "abi.h"
#include "memory.h"
#include "tile.h"

namespace kiln {
namespace {

// Rows of x that are packed at once.
constexpr size_t ROWS_AT_ONCE = 1024;
// A packed panel of W that stays in the second-level cache while many rows of x pass over it, or while a few do:
// the next one must come in beside it.
constexpr size_t PANEL_BYTES = 256 * 1024, SMALL_PANEL_BYTES = 64 * 1024;
constexpr size_t FEW_ROWS = 16, MOST_PANEL_ROWS = 96;
// Steps after which sums are put aside, so that a tile of x stays in the first-level cache.
constexpr size_t STEPS_AT_ONCE = 128;
// A single row reads W in several places at once: that many streams keep more of the memory's banks and of the
// processor's prefetching busy than one does. Each goes on for this many rows at most.
constexpr size_t STREAMS = 4, STREAM_ROWS = 16;

// ---- packing ---------------------------------------------------------------------------------------------------

template <typename Kind> size_t steps_of(size_t inputs) { return (inputs + Kind::STEP - 1) / Kind::STEP; }

template <typename T> KILN_INLINE void pack_step(const T *from, size_t count, float *to, size_t vector_stride) {
    const Lanes lanes = count >= LANES ? load_lanes(from) : load_tail(from, count);
    for (int v = 0; v < PARTS; v++) store(to + v * vector_stride, lanes.part[v]);
}

#if defined(__AVX512BF16__)
KILN_INLINE void pack_step(const bf16 *from, size_t count, bf16 *to, size_t) {
    if (count < 32) memset((void *)to, 0, 32 * sizeof(bf16));
    memcpy((void *)to, from, std::min<size_t>(count, 32) * sizeof(bf16));
}
#endif

// One row into its place among the `height` rows of a tile.
template <typename Kind, typename T>
void pack_row(const T *row, size_t inputs, size_t height, size_t index, typename Kind::Element *tile) {
    const size_t steps = steps_of<Kind>(inputs);
    for (size_t first = 0; first < steps; first += STEPS_AT_ONCE) {
        const size_t count = std::min(STEPS_AT_ONCE, steps - first), stride = height * Kind::WIDTH;
        typename Kind::Element *to = tile + first * Kind::STEP * height + index * Kind::WIDTH;
        for (size_t step = 0; step < count; step++, to += stride) {
            const size_t k = (first + step) * Kind::STEP;
            pack_step(row + k, inputs - k, to, count * stride);
        }
    }
}

template <typename Kind, typename T>
void pack_tile(const T *rows, size_t inputs, size_t count, size_t height, typename Kind::Element *tile) {
    if (count < height) memset((void *)tile, 0, steps_of<Kind>(inputs) * Kind::STEP * height * sizeof(*tile));
    for (size_t row = 0; row < count; row++) pack_row<Kind>(rows + row * inputs, inputs, height, row, tile);
}

// ---- one row ---------------------------------------------------------------------------------------------------

// One row of x as a tile of its own, and a row of W as it is in memory.
template <typename T> KILN_INLINE void madd_step(const T *w, size_t count, const float *x, size_t stride, Lanes &sums) {
    const Lanes lanes = count >= LANES ? load_lanes(w) : load_tail(w, count);
    for (int v = 0; v < PARTS; v++) sums.part[v] = fma(lanes.part[v], load(x + v * stride), sums.part[v]);
}

#if defined(__AVX512BF16__)
KILN_INLINE void madd_step(const bf16 *w, size_t count, const bf16 *x, size_t, Lanes &sums) {
    bf16 full[32];
    if (count < 32) pack_step(w, count, full, 0);
    sums.part[0] = Pairs::madd(Pairs::load(count < 32 ? full : w), Pairs::load(x), sums.part[0]);
}
#endif

// R rows of W, `apart` elements from one another, with the same row of x.
template <typename Kind, int R, typename T>
KILN_INLINE void dot(const T *rows, size_t apart, size_t inputs, const typename Kind::Element *x, float (&totals)[R]) {
    const size_t steps = steps_of<Kind>(inputs), whole = inputs / Kind::STEP;
    Lanes sums[R] = {};
    for (size_t first = 0; first < steps; first += STEPS_AT_ONCE) {
        const size_t last = std::min(first + STEPS_AT_ONCE, steps), stride = (last - first) * Kind::WIDTH;
        const typename Kind::Element *own = x + first * Kind::STEP;
        size_t step = first;
        for (; step < std::min(last, whole); step++, own += Kind::WIDTH)
            for (int r = 0; r < R; r++)
                madd_step(rows + r * apart + step * Kind::STEP, (size_t)Kind::STEP, own, stride, sums[r]);
        for (; step < last; step++, own += Kind::WIDTH)
            for (int r = 0; r < R; r++)
                madd_step(rows + r * apart + step * Kind::STEP, inputs - step * Kind::STEP, own, stride, sums[r]);
    }
    for (int r = 0; r < R; r++) totals[r] = sum(sums[r]);
}

// ---- both ------------------------------------------------------------------------------------------------------

template <typename Kind, typename T> struct Panel;

template <typename Kind, typename T> struct Product {
    typedef typename Kind::Element Element;
    const T *x, *weight, *bias;
    T *y;
    size_t inputs, outputs;

    size_t stride() const { return steps_of<Kind>(inputs) * Kind::STEP; }

    KILN_INLINE void finish(float total, size_t output, T *to) const {
        narrow(bias ? total + widened(bias[output]) : total, to);
    }

    int run_one(int num_threads) const {
        Element *packed = (Element *)scratch(SHARED, stride() * sizeof(Element));
        if (!packed) return NO_MEMORY;
        pack_tile<Kind>(x, inputs, 1, 1, packed);
        const size_t even = outputs / STREAMS / (4 * num_threads);
        const size_t rows = std::min(std::max<size_t>(even, 1), STREAM_ROWS), block = rows * STREAMS;
#pragma omp parallel for num_threads(num_threads) schedule(dynamic, 1)
        for (size_t first = 0; first < outputs; first += block) stream(packed, first, rows);
        return OK;
    }

    // Outputs first to first + 4 * rows - 1, or what there is of them.
    void stream(const Element *packed, size_t first, size_t rows) const {
        if (first + STREAMS * rows > outputs) {
            for (; first < outputs; first++) dots<1>(packed, first, rows);
            return;
        }
        for (size_t row = first; row < first + rows; row++) dots<STREAMS>(packed, row, rows);
    }

    template <int R> void dots(const Element *packed, size_t row, size_t apart) const {
        float totals[R];
        dot<Kind, R>(weight + row * inputs, apart * inputs, inputs, packed, totals);
        for (int r = 0; r < R; r++) finish(totals[r], row + r * apart, y + row + r * apart);
    }

    // Threads take items, each some rows of x past a panel of W: at least four for each thread.
    int run_many(size_t first, size_t count, int num_threads) const {
        const size_t tiles = (count + TILE_COLUMNS - 1) / TILE_COLUMNS, columns = (count + tiles - 1) / tiles;
        const size_t rows = panel_rows(count), panels = (outputs + rows - 1) / rows;
        const size_t wanted = (4 * num_threads + panels - 1) / panels, share = std::max<size_t>(tiles / wanted, 1);
        const size_t shares = (tiles + share - 1) / share;
        Element *packed = (Element *)scratch(SHARED, count * stride() * sizeof(Element));
        if (!packed) return NO_MEMORY;
        int failed = OK;
#pragma omp parallel num_threads(num_threads)
        {
            const Panel<Kind, T> panel = Panel<Kind, T>::create(*this, rows);
            if (!panel.sums) {
#pragma omp atomic write
                failed = NO_MEMORY;
            }
#pragma omp for schedule(static)
            for (size_t tile = 0; tile < tiles; tile++) {
                const size_t row = tile * columns, height = std::min(columns, count - row);
                pack_tile<Kind>(x + (first + row) * inputs, inputs, height, height, packed + row * stride());
            }
            if (failed == OK) {
#pragma omp for schedule(dynamic, 1)
                for (size_t item = 0; item < panels * shares; item++) {
                    const size_t row = item % shares * share * columns;
                    panel.run(item / shares * rows, packed + row * stride(), columns,
                              std::min(share * columns, count - row), y + (first + row) * outputs);
                }
            }
        }
        return failed;
    }

    size_t panel_rows(size_t count) const {
        const size_t bytes = count <= FEW_ROWS ? SMALL_PANEL_BYTES : PANEL_BYTES;
        const size_t fitting = bytes / (stride() * sizeof(Element));
        return std::min(std::max<size_t>(fitting, TILE_ROWS), MOST_PANEL_ROWS) / TILE_ROWS * TILE_ROWS;
    }

    int run(size_t num_rows, int num_threads) const {
        if (num_rows == 1) return run_one(num_threads);
        int failed = OK;
        for (size_t first = 0; first < num_rows && !failed; first += ROWS_AT_ONCE)
            failed = run_many(first, std::min(ROWS_AT_ONCE, num_rows - first), num_threads);
        return failed;
    }
};

// What one thread works with: a stretch of W's rows (packed, where they are used often), their sums and totals.
template <typename Kind, typename T> struct Panel {
    typedef typename Kind::Element Element;
    const Product<Kind, T> &product;
    size_t rows;
    Element *packed;
    Lanes *sums;

    static Panel create(const Product<Kind, T> &product, size_t rows) {
        const size_t packed = rows * product.stride() * sizeof(Element);
        char *memory = (char *)scratch(OWN, packed + rows * TILE_COLUMNS * sizeof(Lanes));
        return {product, rows, (Element *)(void *)memory, memory ? (Lanes *)(void *)(memory + packed) : nullptr};
    }

    // Rows `first` on of W, with `count` rows of x, packed in tiles of `columns`.
    void run(size_t first, const Element *input, size_t columns, size_t count, T *y) const {
        const size_t last = std::min(first + rows, product.outputs);
        // A few rows of x take W as it is, a tile at a time; only what is left of it at its end is packed.
        for (; count <= FEW_ROWS && first + TILE_ROWS <= last; first += TILE_ROWS)
            each_tile(first, TILE_ROWS, false, input, columns, count, y);
        for (size_t row = first; row < last; row += TILE_ROWS)
            pack_tile<Kind>(product.weight + row * product.inputs, product.inputs,
                            std::min<size_t>(TILE_ROWS, last - row), TILE_ROWS,
                            packed + (row - first) * product.stride());
        if (first < last) each_tile(first, last - first, true, input, columns, count, y);
    }

    void each_tile(size_t first, size_t num_rows, bool is_packed, const Element *input, size_t columns, size_t count,
                   T *y) const {
        const T *after = product.weight + (first + num_rows) * product.inputs;
        Ahead weights = {(const char *)after, (const char *)(after + num_rows * product.inputs)};
        for (size_t column = 0; column < count; column += columns) {
            const Element *own = input + column * product.stride(), *next = own + columns * product.stride();
            Ahead inputs = {(const char *)next, (const char *)(next + columns * product.stride())};
            const Work work = {first, num_rows, is_packed, own, y + column * product.outputs};
            tile(work, std::min(columns, count - column), is_packed ? inputs : weights);
        }
    }

    // Rows of W from `first` on, and a tile of x.
    struct Work {
        size_t first, num_rows;
        bool is_packed;
        const Element *input;
        T *y;
    };

    void tile(const Work &work, size_t columns, Ahead &ahead) const {
        switch (columns) {
        case 1: return tile<1>(work, ahead);
        case 2: return tile<2>(work, ahead);
        case 3: return tile<3>(work, ahead);
        case 4: return tile<4>(work, ahead);
#if defined(__AVX512F__)
        case 5: return tile<5>(work, ahead);
        case 6: return tile<6>(work, ahead);
#endif
        }
    }

    template <int C> void tile(const Work &work, Ahead &ahead) const {
        if (work.is_packed)
            packed_tiles<C>(work.num_rows, work.input, ahead);
        else
            stored_tile<C>(work.first, work.input, ahead);
        float totals[(MOST_PANEL_ROWS + TILE_ROWS) * C];
        total(work.num_rows * C, totals);
        for (int column = 0; column < C; column++)
            for (size_t row = 0; row < work.num_rows; row++) {
                const size_t output = work.first + row;
                product.finish(totals[row * C + column], output, work.y + column * product.outputs + output);
            }
    }

    // Adds up the lanes of the first `count` sums, four at a time.
    KILN_APART void total(size_t count, float *totals) const {
        size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            const Quad four =
                kiln::sums(quarter(sums[i]), quarter(sums[i + 1]), quarter(sums[i + 2]), quarter(sums[i + 3]));
            memcpy(totals + i, &four, sizeof four);
        }
        for (; i < count; i++) totals[i] = sum(sums[i]);
    }

    template <int C> void stored_tile(size_t first, const Element *input, Ahead &ahead) const {
        const size_t steps = steps_of<Kind>(product.inputs), whole = product.inputs / Kind::STEP;
        const T *rows = product.weight + first * product.inputs;
        for (size_t step = 0; step < steps; step += STEPS_AT_ONCE) {
            const size_t last = std::min(step + STEPS_AT_ONCE, steps), count = std::min(last, whole) - step;
            Packed<Kind, C> columns = {input + step * Kind::STEP * C, (last - step) * C * Kind::WIDTH};
            const Stored<Kind, T> own = {rows + step * Kind::STEP, product.inputs};
            multiply<Kind, TILE_ROWS, C>(own, columns, count, step == 0, ahead, sums);
            if (last <= whole) continue;
            columns.at += count * C * Kind::WIDTH;
            last_step<C>(rows + whole * Kind::STEP, columns, whole == 0, ahead);
        }
    }

    // The elements that do not fill a step.
    template <int C> void last_step(const T *rows, Packed<Kind, C> columns, bool fresh, Ahead &ahead) const {
        Element ends[TILE_ROWS * Kind::STEP];
        for (int row = 0; row < TILE_ROWS; row++)
            pack_step(rows + row * product.inputs, product.inputs % Kind::STEP, ends + row * Kind::WIDTH,
                      TILE_ROWS * Kind::WIDTH);
        const Packed<Kind, TILE_ROWS> own = {ends, TILE_ROWS * Kind::WIDTH};
        multiply<Kind, TILE_ROWS, C>(own, columns, 1, fresh, ahead, sums);
    }

    template <int C> void packed_tiles(size_t num_rows, const Element *input, Ahead &ahead) const {
        const size_t steps = steps_of<Kind>(product.inputs);
        for (size_t step = 0; step < steps; step += STEPS_AT_ONCE) {
            const size_t count = std::min(STEPS_AT_ONCE, steps - step), offset = step * Kind::STEP;
            const Packed<Kind, C> columns = {input + offset * C, count * C * Kind::WIDTH};
            for (size_t row = 0; row < num_rows; row += TILE_ROWS) {
                const Element *at = packed + row * product.stride() + offset * TILE_ROWS;
                const Packed<Kind, TILE_ROWS> rows = {at, count * TILE_ROWS * Kind::WIDTH};
                multiply<Kind, TILE_ROWS, C>(rows, columns, count, step == 0, ahead, sums + row * C);
            }
        }
    }
};

template <typename Kind, typename T> int linear(const void *x, const void *weight, const void *bias, void *y,
                                                size_t rows, size_t inputs, size_t outputs, int num_threads) {
    const Product<Kind, T> product = {(const T *)x, (const T *)weight, (const T *)bias, (T *)y, inputs, outputs};
    return product.run(rows, num_threads);
}

} // namespace
} // namespace kiln

int kiln_linear(int type, const void *x, const void *weight, const void *bias, void *y, size_t rows, size_t inputs,
                size_t outputs, int num_threads) {
    using namespace kiln;
    if (type == KILN_FLOAT32) return linear<Wide, float>(x, weight, bias, y, rows, inputs, outputs, num_threads);
    if (type != KILN_BFLOAT16) return BAD_TYPE;
#if defined(__AVX512BF16__)
    return linear<Pairs, bf16>(x, weight, bias, y, rows, inputs, outputs, num_threads);
#else
    return linear<Wide, bf16>(x, weight, bias, y, rows, inputs, outputs, num_threads);
#endif
}
