// y = x W^T + b for any number of rows, with W in panels (panel.h). Rows of x are put into tiles, as floats (or, where
// the machine multiplies it, as bfloat16) in the order of use. For few rows each panel is read once, while the tiles
// stay near; for many, several panels stay in the second-level cache while the tiles pass by.
#include "abi.h"
#include "memory.h"
#include "panel.h"

namespace kiln {
namespace {

// Rows of x that are put into tiles at once.
constexpr size_t ROWS_AT_ONCE = 1024;
// Up to so many tiles are few.
constexpr size_t FEW_TILES = 4;
// Panels that stay near for many rows.
constexpr size_t PANELS_KEPT = 8;
// Panels one after the other in memory that a thread takes for few rows, where there are enough of them.
constexpr size_t STRETCH = 16;
// How far ahead weights are asked for.
constexpr size_t AHEAD_BYTES = 16384, LINE = 64;
// Threads take items; with fewer than this for each, one of them would often wait for the other.
constexpr size_t ITEMS_PER_THREAD = 4;

// How work is divided. A tile is `height` rows (the last may have fewer). An item is `stretch` panels with `share`
// tiles, and its panels are taken `group` at a time.
struct Plan {
    size_t rows, height, num_tiles, group, stretch, share;

    static Plan create(size_t rows, size_t num_panels, int num_threads) {
        const size_t height = divided_up(rows, divided_up(rows, MOST_ROWS)), num_tiles = divided_up(rows, height);
        const size_t items = ITEMS_PER_THREAD * num_threads;
        if (num_tiles <= FEW_TILES) {
            const size_t group = panels_at_once((int)height);
            const size_t even = std::min(num_panels / items, STRETCH * group) / group;
            return {rows, height, num_tiles, group, std::max<size_t>(even, 1) * group, num_tiles};
        }
        const size_t shares = divided_up(items, divided_up(num_panels, PANELS_KEPT));
        return {rows, height, num_tiles, PANELS_KEPT, PANELS_KEPT, divided_up(num_tiles, shares)};
    }

    size_t height_of(size_t tile) const { return std::min(height, rows - tile * height); }
};

template <typename T> struct Product {
    typedef typename KindOf<T>::Type Kind;
    typedef typename Kind::Input Input;

    const T *x, *weight, *bias;
    T *y;
    size_t inputs, outputs;

    int run(size_t rows, int num_threads) const {
        int failed = OK;
        for (size_t first = 0; first < rows && !failed; first += ROWS_AT_ONCE) {
            const Product part = {x + first * inputs, weight, bias, y + first * outputs, inputs, outputs};
            failed = part.run_some(std::min(ROWS_AT_ONCE, rows - first), num_threads);
        }
        return failed;
    }

    int run_some(size_t rows, int num_threads) const {
        const size_t num_panels = divided_up(outputs, LANES);
        const Plan plan = Plan::create(rows, num_panels, num_threads);
        Input *tiles = (Input *)scratch(SHARED, plan.num_tiles * tile_size(plan) * sizeof(Input));
        if (!tiles) return NO_MEMORY;
        int failed = OK;
#pragma omp parallel num_threads(num_threads)
        {
            Lanes *sums = (Lanes *)scratch(OWN, plan.group * plan.share * plan.height * sizeof(Lanes));
            if (!sums) {
#pragma omp atomic write
                failed = NO_MEMORY;
            }
#pragma omp for schedule(static)
            for (size_t tile = 0; tile < plan.num_tiles; tile++) fill(plan, tile, tiles + tile * tile_size(plan));
            if (failed == OK) {
#pragma omp for schedule(dynamic, 1) collapse(2)
                for (size_t panel = 0; panel < num_panels; panel += plan.stretch)
                    for (size_t tile = 0; tile < plan.num_tiles; tile += plan.share)
                        run_item(plan, tiles, panel, std::min(plan.stretch, num_panels - panel), tile, sums);
            }
        }
        return failed;
    }

    size_t tile_size(const Plan &plan) const { return divided_up(inputs, Kind::STEP) * Kind::STEP * plan.height; }

    void fill(const Plan &plan, size_t tile, Input *to) const {
        const size_t height = plan.height_of(tile), odd = inputs % Kind::STEP;
        if (odd) memset((void *)(to + (inputs - odd) * height), 0, Kind::STEP * height * sizeof(Input));
        for (size_t row = 0; row < height; row++) {
            const T *from = x + (tile * plan.height + row) * inputs;
            for (size_t k = 0; k < inputs; k++)
                Kind::take(from[k], to + (k / Kind::STEP * height + row) * Kind::STEP + k % Kind::STEP);
        }
    }

    // Panels of a group lie as far from one another as they can: memory is read in several places at once.
    void run_item(const Plan &plan, const Input *tiles, size_t panel, size_t count, size_t tile, Lanes *sums) const {
        const size_t apart = count / plan.group, whole = apart * plan.group;
        for (size_t i = 0; i < apart; i++) run_group(plan, tiles, {panel + i, plan.group, apart}, tile, sums);
        for (size_t i = whole; i < count; i++) run_group(plan, tiles, {panel + i, 1, 1}, tile, sums);
    }

    struct Group {
        size_t first, count, apart;
    };

    void run_group(const Plan &plan, const Input *tiles, const Group &group, size_t first_tile, Lanes *sums) const {
        const size_t last_tile = std::min(first_tile + plan.share, plan.num_tiles);
        const size_t share = last_tile - first_tile, stride = group.count * plan.height;
        for (size_t input = 0; input < inputs; input += BLOCK)
            for (size_t i = 0; i < share; i++) {
                const size_t height = plan.height_of(first_tile + i);
                const Input *own = tiles + (first_tile + i) * tile_size(plan) + input * height;
                multiply_tile(group, own, height, {input, i, share}, sums + i * stride);
            }
        for (size_t i = 0; i < share; i++) finish(plan, group, first_tile + i, sums + i * stride);
    }

    // A block of inputs, and which of so many tiles meets it.
    struct Part {
        size_t input, tile, num_tiles;
    };

    void multiply_tile(const Group &group, const Input *tile, size_t height, const Part &part, Lanes *sums) const {
        switch (height) {
        case 1: return multiply_rows<1>(group, tile, part, sums);
        case 2: return multiply_rows<2>(group, tile, part, sums);
        case 3: return multiply_rows<3>(group, tile, part, sums);
        case 4: return multiply_rows<4>(group, tile, part, sums);
        case 5: return multiply_rows<5>(group, tile, part, sums);
        case 6: return multiply_rows<6>(group, tile, part, sums);
        }
    }

    template <int R> void multiply_rows(const Group &group, const Input *tile, const Part &part, Lanes *sums) const {
        if constexpr (R <= MOST_ROWS) {
            constexpr size_t P = panels_at_once(R);
            size_t i = 0;
            for (; i + P <= group.count; i += P) multiply_panels<P, R>(group, i, tile, part, sums + i * R);
            for (; i < group.count; i++) multiply_panels<1, R>(group, i, tile, part, sums + i * R);
        }
    }

    template <int P, int R>
    void multiply_panels(const Group &group, size_t index, const Input *tile, const Part &part, Lanes *sums) const {
        const size_t count = std::min(BLOCK, inputs - part.input), apart = group.apart * inputs * LANES;
        const T *from = weight + (group.first + index * group.apart) * inputs * LANES + part.input * LANES;
        multiply<Kind, P, R>(from, apart, tile, count, part.input == 0, ahead(from, count, part, R), sums);
    }

    // Each tile asks for its share. A single row does nothing but read: processors see that by themselves.
    static Ahead ahead(const T *from, size_t count, const Part &part, int height) {
        if (height == 1 && part.num_tiles == 1) return {nullptr, 0};
        const size_t lines = count * LANES * sizeof(T) / LINE;
        const size_t first = lines * part.tile / part.num_tiles, last = lines * (part.tile + 1) / part.num_tiles;
        return {(const char *)from + AHEAD_BYTES + first * LINE, last - first};
    }

    void finish(const Plan &plan, const Group &group, size_t tile, const Lanes *sums) const {
        const size_t height = plan.height_of(tile);
        for (size_t i = 0; i < group.count; i++) {
            const size_t output = (group.first + i * group.apart) * LANES;
            const size_t count = std::min<size_t>(LANES, outputs - output);
            const Lanes offset = bias ? load_some(bias + output, count) : Lanes{};
            for (size_t row = 0; row < height; row++, sums++) {
                Lanes total = *sums;
                for (int v = 0; bias && v < PARTS; v++) total.part[v] += offset.part[v];
                store_some(y + (tile * plan.height + row) * outputs + output, total, count);
            }
        }
    }
};

template <typename T> int linear(const void *x, const void *weight, const void *bias, void *y, size_t rows,
                                 size_t inputs, size_t outputs, int num_threads) {
    const Product<T> product = {(const T *)x, (const T *)weight, (const T *)bias, (T *)y, inputs, outputs};
    return product.run(rows, num_threads);
}

} // namespace
} // namespace kiln

int kiln_linear(int type, const void *x, const void *weight, const void *bias, void *y, size_t rows, size_t inputs,
                size_t outputs, int num_threads) {
    using namespace kiln;
    if (type == KILN_FLOAT32) return linear<float>(x, weight, bias, y, rows, inputs, outputs, num_threads);
    if (type == KILN_BFLOAT16) return linear<bf16>(x, weight, bias, y, rows, inputs, outputs, num_threads);
    return BAD_TYPE;
}
