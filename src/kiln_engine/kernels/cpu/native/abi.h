// What the library offers: plain C, so that it is called without a compiler's or torch's headers.
//
// Every function returns 0, 1 when there is no memory to work in, 2 for a type that it does not know, or 3 for an index
// that is not there. Tensors are contiguous and of one type unless said otherwise; the caller has checked sizes. A type
// is one of the two below.
#pragma once

#include <cstddef>
#include <cstdint>

#define KILN_FLOAT32 0
#define KILN_BFLOAT16 1

#define KILN_API extern "C" __attribute__((visibility("default")))

// Raised whenever a signature or a meaning below changes.
KILN_API int kiln_abi();

// Brings weight [outputs, inputs] into the library's own order: packed holds as much, for outputs rounded up to a whole
// number of sixteens. The two may begin at the same place.
KILN_API int kiln_pack(int type, const void *weight, void *packed, size_t outputs, size_t inputs, int num_threads);

// y [rows, inputs] = rows `ids` of the packed weight [outputs, inputs].
KILN_API int kiln_embed(int type, const int32_t *ids, const void *packed, void *y, size_t rows, size_t inputs,
                        size_t outputs);

// y [rows, outputs] = x [rows, inputs] times the packed weight [outputs, inputs] transposed, plus bias [outputs] or
// null.
KILN_API int kiln_linear(int type, const void *x, const void *weight, const void *bias, void *y, size_t rows,
                         size_t inputs, size_t outputs, int num_threads);

// total [rows, width] = x + residual, rounded to the type; y = total over its root mean square, times weight [width].
// Without a residual, total is not written and may be null.
KILN_API int kiln_add_norm(int type, const void *x, const void *residual, const void *weight, float eps, void *y,
                           void *total, size_t rows, size_t width, int num_threads);

// y [rows, width] = SiLU of the first half of each row of [rows, 2 * width] times the second half.
KILN_API int kiln_act_mul(int type, const void *gate_up, void *y, size_t rows, size_t width, int num_threads);

struct KilnHeads {
    int64_t num_heads, num_kv_heads, head_dim, block_size;
};

// Splits qkv [rows, (heads + 2 kv heads) * D]: queries and keys are normed (unless the weights [D] are null) and
// rotated by cos and sin [positions, D / 2] (float32), keys and values are written at slots [rows], queries to
// query [rows, heads, D]. keys and values are [blocks, kv heads, block size, D].
KILN_API int kiln_rope_write(int type, const void *qkv, const KilnHeads *heads, const void *query_weight,
                             const void *key_weight, float eps, const float *cos, const float *sin,
                             const int32_t *positions, const int32_t *slots, void *query, void *keys, void *values,
                             size_t rows, int num_threads);

// Causal attention of query [rows, heads, D] over each sequence's own blocks: out [rows, heads, D]. Sequence s has
// rows row_offsets[s] to row_offsets[s + 1] - 1, the last of them at position context_lens[s] - 1, and its blocks from
// block_ids[block_offsets[s]] on. A row sees `window` positions, itself included; 0 is all.
KILN_API int kiln_attention(int type, const void *query, const void *keys, const void *values, const KilnHeads *heads,
                            const int32_t *row_offsets, const int32_t *context_lens, const int32_t *block_offsets,
                            const int32_t *block_ids, size_t num_sequences, float scale, int64_t window, void *out,
                            int num_threads);

// How a row's token is drawn. `num_kept` tokens are left by top-k; `uniform` is at least 0 and less than 1.
struct KilnDraw {
    double temperature, min_p, top_p, uniform;
    int64_t num_kept, greedy, first_extra, num_extra;
};

// Draws a token of each row of logits [rows, tokens]. A row's extra tokens, num_extra from first_extra on, have the
// values given in place of their logits, which are -inf. Gives ids [rows] and logprobs [rows]: the log of each one's
// probability, 0 for a greedy choice, or NaN for a row with NaN or +inf or nothing else than -inf.
KILN_API int kiln_draw(const float *logits, size_t rows, size_t tokens, const KilnDraw *draws, const int64_t *extra_ids,
                       const double *extra_values, int64_t *ids, double *logprobs, int num_threads);

// A function of the above by its number, and its arguments in order: integers and types as integers, floats as numbers.
#define KILN_EMBED 0
#define KILN_LINEAR 1
#define KILN_ADD_NORM 2
#define KILN_ACT_MUL 3
#define KILN_ROPE_WRITE 4
#define KILN_ATTENTION 5
#define KILN_MOST_VALUES 16

union KilnValue {
    int64_t integer;
    double number;
    void *address;
};

struct KilnCall {
    int64_t function;
    KilnValue values[KILN_MOST_VALUES];
};

// Makes the calls in order, up to the first that does not return 0, and returns what that one did.
KILN_API int kiln_run(const KilnCall *calls, size_t count);

// Reads memory, in whole stretches of 128 KiB, as fast as threads can: the exclusive or of its words goes to `sink`.
// For measuring against.
KILN_API int kiln_read(const void *memory, size_t num_bytes, uint64_t *sink, int num_threads);
