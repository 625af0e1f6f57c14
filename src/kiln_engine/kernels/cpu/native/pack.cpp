// Weights as checkpoints have them, one row for each output, brought into panels; and single rows out of panels again.
#include "abi.h"
#include "memory.h"
#include "panel.h"

namespace kiln {
namespace {

template <typename T> void pack_panel(const T *rows, size_t num_rows, size_t inputs, T *panel) {
    for (size_t k = 0; k < inputs; k++)
        for (size_t output = 0; output < LANES; output++)
            panel[place<T>(k, output, inputs)] = output < num_rows ? rows[output * inputs + k] : T{};
}

template <typename T> int pack(const T *weight, T *packed, size_t outputs, size_t inputs, int num_threads) {
    int failed = OK;
#pragma omp parallel for num_threads(num_threads) schedule(static)
    for (size_t output = 0; output < outputs; output += LANES) {
        // Through memory of its own: a panel may take the place of the very rows that it is made from.
        const size_t own = std::min<size_t>(LANES, outputs - output);
        T *rows = (T *)scratch(OWN, own * inputs * sizeof(T));
        if (!rows) {
#pragma omp atomic write
            failed = NO_MEMORY;
            continue;
        }
        memcpy((void *)rows, weight + output * inputs, own * inputs * sizeof(T));
        pack_panel(rows, own, inputs, packed + output * inputs);
    }
    return failed;
}

template <typename T>
int embed(const int32_t *ids, const T *packed, T *y, size_t rows, size_t inputs, size_t outputs) {
    for (size_t row = 0; row < rows; row++)
        if (ids[row] < 0 || (size_t)ids[row] >= outputs) return BAD_INDEX;
    for (size_t row = 0; row < rows; row++) {
        const size_t output = (size_t)ids[row];
        const T *panel = packed + output / LANES * LANES * inputs;
        for (size_t k = 0; k < inputs; k++) y[row * inputs + k] = panel[place<T>(k, output % LANES, inputs)];
    }
    return OK;
}

} // namespace
} // namespace kiln

int kiln_pack(int type, const void *weight, void *packed, size_t outputs, size_t inputs, int num_threads) {
    using namespace kiln;
    if (type == KILN_FLOAT32) return pack((const float *)weight, (float *)packed, outputs, inputs, num_threads);
    if (type == KILN_BFLOAT16) return pack((const bf16 *)weight, (bf16 *)packed, outputs, inputs, num_threads);
    return BAD_TYPE;
}

int kiln_embed(int type, const int32_t *ids, const void *packed, void *y, size_t rows, size_t inputs, size_t outputs) {
    using namespace kiln;
    if (type == KILN_FLOAT32) return embed(ids, (const float *)packed, (float *)y, rows, inputs, outputs);
    if (type == KILN_BFLOAT16) return embed(ids, (const bf16 *)packed, (bf16 *)y, rows, inputs, outputs);
    return BAD_TYPE;
}
