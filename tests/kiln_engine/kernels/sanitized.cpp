// Calls every kernel with random sizes and memory of exactly the size that it needs: the sanitizers see each step
// aside. Arguments: a seed and how many rounds. Prints the number of rounds that were run and a sum over all results,
// which is the same on every machine with fused operations.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "abi.h"

namespace {

struct Random {
    std::mt19937 source;
    size_t between(size_t low, size_t high) { return low + source() % (high - low + 1); }
    template <size_t N> size_t one_of(const size_t (&options)[N]) { return options[source() % N]; }
};

// Memory of exactly this size, with small numbers in it: as float32 or bfloat16 it holds values between -1 and 1.
struct Memory {
    std::unique_ptr<uint16_t[]> halves;
    size_t count;
    Memory(Random &random, size_t elements, int type) {
        count = type == KILN_FLOAT32 ? 2 * elements : elements;
        halves.reset(new uint16_t[count]);
        for (size_t i = 0; i < count; i++)
            halves[i] = (uint16_t)(0x3c00 + random.source() % 0x380 + (random.source() % 2 << 15));
    }
    void *get() const { return halves.get(); }
};

uint64_t results = 0;

void note(const Memory &result) {
    for (size_t i = 0; i < result.count; i++) results = (results ^ result.halves[i]) * 0x100000001b3;
}

void expect_done(int code, const char *what) {
    if (code == 0) return;
    fprintf(stderr, "%s returned %d\n", what, code);
    exit(1);
}

size_t panels(size_t outputs) { return (outputs + 15) / 16 * 16; }

// The weight in panels; from other memory, or from its own where its rows fill them.
Memory packed(Random &random, int type, size_t outputs, size_t inputs, int threads) {
    const Memory weight(random, outputs * inputs, type);
    Memory result(random, panels(outputs) * inputs, type);
    expect_done(kiln_pack(type, weight.get(), result.get(), outputs, inputs, threads), "pack");
    if (outputs % 16 == 0) expect_done(kiln_pack(type, result.get(), result.get(), outputs, inputs, threads), "pack");
    return result;
}

void embed(Random &random, int type, const Memory &weight, size_t outputs, size_t inputs) {
    std::vector<int32_t> ids(random.between(0, 5));
    for (int32_t &id : ids) id = (int32_t)random.between(0, outputs - 1);
    const Memory y(random, ids.size() * inputs, type);
    expect_done(kiln_embed(type, ids.data(), weight.get(), y.get(), ids.size(), inputs, outputs), "embed");
    note(y);
    ids.push_back((int32_t)(random.source() % 2 ? outputs : -1));
    if (kiln_embed(type, ids.data(), weight.get(), y.get(), ids.size(), inputs, outputs) != 3) exit(1);
}

void linear(Random &random, int type, int threads) {
    const size_t rows = random.one_of({1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 70}), inputs = random.between(1, 150);
    const size_t outputs = random.between(1, 110);
    const Memory x(random, rows * inputs, type), weight = packed(random, type, outputs, inputs, threads),
                 bias(random, outputs, type);
    const Memory y(random, rows * outputs, type);
    const void *offset = random.source() % 2 ? bias.get() : nullptr;
    expect_done(kiln_linear(type, x.get(), weight.get(), offset, y.get(), rows, inputs, outputs, threads), "linear");
    note(y);
    embed(random, type, weight, outputs, inputs);
}

void large_linear(Random &random, int type, int threads) {
    const size_t rows = random.one_of({1, 3, 20, 1030}), inputs = random.between(2040, 2100),
                 outputs = random.between(1, 9);
    const Memory x(random, rows * inputs, type), weight = packed(random, type, outputs, inputs, threads),
                 y(random, rows * outputs, type);
    expect_done(kiln_linear(type, x.get(), weight.get(), nullptr, y.get(), rows, inputs, outputs, threads), "linear");
    note(y);
}

void elementwise(Random &random, int type, int threads) {
    const size_t rows = random.between(1, 9), width = random.between(1, 90);
    const Memory x(random, rows * width, type), residual(random, rows * width, type), weight(random, width, type);
    const Memory y(random, rows * width, type), total(random, rows * width, type), pair(random, rows * 2 * width, type);
    const bool added = random.source() % 2;
    expect_done(kiln_add_norm(type, x.get(), added ? residual.get() : nullptr, weight.get(), 1e-6f, y.get(),
                              added ? total.get() : nullptr, rows, width, threads),
                "add_norm");
    note(y);
    note(total);
    expect_done(kiln_act_mul(type, pair.get(), y.get(), rows, width, threads), "act_mul");
    note(y);
}

void attention(Random &random, int type, int threads) {
    const int64_t kv_heads = random.between(1, 3), group = random.between(1, 16);
    const int64_t dim = random.one_of({2, 6, 8, 16, 40, 64, 80, 128, 256}),
                  block = random.one_of({1, 3, 8, 16, 32, 48});
    const KilnHeads heads = {kv_heads * group, kv_heads, dim, block};
    std::vector<int32_t> rows = {0}, contexts, block_offsets = {0}, blocks, positions, slots;
    const size_t sequences = random.between(1, 5);
    for (size_t s = 0; s < sequences; s++) {
        const int32_t context = random.between(1, 90),
                      own = random.one_of({1, (size_t)context, (size_t)(context + 1) / 2});
        const int32_t first = blocks.size();
        for (int32_t b = 0; b < (context + block - 1) / block; b++) blocks.push_back(first + b);
        for (int32_t p = context - own; p < context; p++) {
            positions.push_back(p);
            slots.push_back(blocks[first + p / block] * block + p % block);
        }
        contexts.push_back(context);
        rows.push_back(rows.back() + own);
        block_offsets.push_back(blocks.size());
    }
    const size_t count = rows.back(), cache = blocks.size() * kv_heads * block * dim;
    const Memory qkv(random, count * (heads.num_heads + 2 * kv_heads) * dim, type),
        query(random, count * heads.num_heads * dim, type);
    const Memory keys(random, cache, type), values(random, cache, type),
        out(random, count * heads.num_heads * dim, type);
    const Memory weight(random, dim, type), angles(random, 90 * dim / 2, KILN_FLOAT32);
    const void *norm = random.source() % 2 ? weight.get() : nullptr;
    const float *table = (const float *)angles.get();
    expect_done(kiln_rope_write(type, qkv.get(), &heads, norm, norm, 1e-6f, table, table, positions.data(),
                                slots.data(), query.get(), keys.get(), values.get(), count, threads),
                "rope_write");
    expect_done(kiln_attention(type, query.get(), keys.get(), values.get(), &heads, rows.data(), contexts.data(),
                               block_offsets.data(), blocks.data(), sequences, 0.1f, random.one_of({0, 0, 1, 7, 40}),
                               out.get(), threads),
                "attention");
    note(query);
    note(keys);
    note(out);
}

void draw(Random &random, int threads) {
    const size_t rows = random.between(1, 5), tokens = random.one_of({1, 5, 64, 65, 300, 5000, 20000});
    std::vector<float> logits(rows * tokens);
    for (float &logit : logits) logit = (float)random.between(0, 4000) / 400.0f;
    for (size_t i = 0; i < rows * tokens; i += random.between(1, 2 * tokens))
        logits[i] = random.source() % 8 ? -INFINITY : NAN;
    std::vector<int64_t> extra_ids, ids(rows);
    std::vector<double> extra_values, logprobs(rows);
    std::vector<KilnDraw> wishes;
    for (size_t row = 0; row < rows; row++) {
        const size_t first = extra_ids.size(), kept = random.one_of({1, 3, 20, 400, 30000});
        for (size_t id = 0; id < tokens; id += random.between(1, tokens)) {
            logits[row * tokens + id] = -INFINITY;
            extra_ids.push_back((int64_t)id);
            extra_values.push_back((double)random.between(0, 12));
        }
        const double temperature = random.source() % 2 ? 1.0 : 0.01;
        wishes.push_back({temperature, random.source() % 4 ? 0.0 : 0.1, random.source() % 2 ? 1.0 : 0.9,
                          (double)random.between(0, 999) / 1000, (int64_t)std::min(kept, tokens),
                          random.source() % 4 == 0, (int64_t)first, (int64_t)(extra_ids.size() - first)});
    }
    expect_done(kiln_draw(logits.data(), rows, tokens, wishes.data(), extra_ids.data(), extra_values.data(), ids.data(),
                          logprobs.data(), threads),
                "draw");
    for (int64_t id : ids) {
        if (id < 0 || id >= (int64_t)tokens) exit(1);
        results = (results ^ (uint64_t)id) * 0x100000001b3;
    }
}

void read(Random &random, int threads) {
    const size_t size = 4 * 32 * 1024 * random.between(0, 2) + random.between(0, 40);
    const std::vector<uint8_t> memory(size);
    uint64_t sink = 1;
    expect_done(kiln_read(memory.data(), size, &sink, threads), "read");
    if (sink) exit(1);
}

} // namespace

int main(int, char **arguments) {
    Random random = {std::mt19937((unsigned)atoi(arguments[1]))};
    const int rounds = atoi(arguments[2]);
    for (int round = 0; round < rounds; round++) {
        const int type = random.source() % 2 ? KILN_FLOAT32 : KILN_BFLOAT16, threads = (int)random.between(1, 3);
        linear(random, type, threads);
        elementwise(random, type, threads);
        attention(random, type, threads);
        draw(random, threads);
        if (round % 8 == 0) large_linear(random, type, threads);
        if (round % 8 == 4) read(random, threads);
    }
    printf("%d %016llx\n", rounds, (unsigned long long)results);
}
