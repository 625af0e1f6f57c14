// The next token of each row: temperature, top-k, min-p, top-p and the draw, as kiln_engine.sampling defines them.
//
// Tokens go by descending logit, those of one logit by id. A row looks at its likeliest tokens first, as many as nearly
// always settle the draw, and at more of them where they do not. Whatever is added up is added in an order of its own.
#include <algorithm>
#include <cmath>
#include <functional>

#include "abi.h"
#include "doubles.h"
#include "memory.h"

namespace kiln {
namespace {

// Neighbouring tokens that share one maximum.
constexpr size_t NEIGHBOURS = 64;
// How many tokens are looked at first where nothing else says so, and how many times more when they do not settle it.
constexpr size_t FIRST_REACH = 256, FURTHER = 8;

struct Token {
    double value; // its logit, later its weight
    int64_t id;
};

bool comes_before(const Token &a, const Token &b) { return a.value > b.value || (a.value == b.value && a.id < b.id); }

struct Choice {
    int64_t id;
    double logprob; // NaN where there is no distribution
};

// Room for one row's work.
struct Room {
    Token *tokens;
    float *maxima, *ordered;

    static Room create(size_t num_tokens, size_t num_extra) {
        const size_t tokens = (num_tokens + num_extra) * sizeof(Token), blocks = num_tokens / NEIGHBOURS + 1;
        char *memory = (char *)scratch(OWN, tokens + 2 * blocks * sizeof(float));
        if (!memory) return {};
        float *maxima = (float *)(void *)(memory + tokens);
        return {(Token *)(void *)memory, maxima, maxima + blocks};
    }
};

struct Row {
    const float *logits;
    size_t num_tokens;
    const KilnDraw &wish;
    const int64_t *extra_ids;
    const double *extra_values;
    const Room &room;

    size_t num_blocks() const { return (num_tokens + NEIGHBOURS - 1) / NEIGHBOURS; }
    size_t block_end(size_t block) const { return std::min((block + 1) * NEIGHBOURS, num_tokens); }
    bool has_top_k() const { return wish.num_kept < (int64_t)num_tokens; }
    bool has_top_p() const { return wish.top_p > 0 && wish.top_p < 1; }
    double weight(double value, double highest) const { return std::exp(-((highest - value) / wish.temperature)); }

    // Notes the maximum of each block. Returns the largest of all values, or NaN where there is one.
    double scan() const {
        Ints broken = {};
        for (size_t block = 0; block < num_blocks(); block++) {
            Lanes highest;
            for (int i = 0; i < PARTS; i++) highest.part[i] = broadcast(-INFINITY);
            for (size_t k = block * NEIGHBOURS; k < block_end(block); k += LANES) {
                const size_t count = block_end(block) - k;
                const Lanes values = count >= LANES ? load_lanes(logits + k) : load_tail(logits + k, count, -INFINITY);
                for (int i = 0; i < PARTS; i++) {
                    broken |= values.part[i] != values.part[i];
                    highest.part[i] = values.part[i] > highest.part[i] ? values.part[i] : highest.part[i];
                }
            }
            room.maxima[block] = maximum(highest);
        }
        for (int i = 0; i < WIDTH; i++)
            if (broken[i]) return NAN;
        double highest = *std::max_element(room.maxima, room.maxima + num_blocks());
        for (int64_t i = 0; i < wish.num_extra; i++) {
            if (std::isnan(extra_values[i])) return NAN;
            highest = std::max(highest, extra_values[i]);
        }
        return highest;
    }

    // A logit that at least `reach` tokens are not below: -inf unless so many blocks have a maximum.
    float threshold(size_t reach) const {
        if (reach >= num_blocks()) return -INFINITY;
        std::copy(room.maxima, room.maxima + num_blocks(), room.ordered);
        std::nth_element(room.ordered, room.ordered + (reach - 1), room.ordered + num_blocks(), std::greater<float>());
        return room.ordered[reach - 1];
    }

    // All tokens that are possible and not below, in no order. Returns how many.
    size_t gather(float least) const {
        size_t count = 0;
        for (size_t block = 0; block < num_blocks(); block++)
            for (size_t k = block * NEIGHBOURS; room.maxima[block] >= least && k < block_end(block); k++)
                if (logits[k] >= least && logits[k] > -INFINITY) room.tokens[count++] = {logits[k], (int64_t)k};
        for (int64_t i = 0; i < wish.num_extra; i++)
            if (extra_values[i] >= least && extra_values[i] > -INFINITY)
                room.tokens[count++] = {extra_values[i], extra_ids[i]};
        return count;
    }

    Choice choose() const {
        const double highest = scan();
        if (!std::isfinite(highest)) return {0, NAN};
        if (wish.greedy) {
            const size_t count = gather(threshold(1));
            return {std::min_element(room.tokens, room.tokens + count, comes_before)->id, 0.0};
        }
        const double all = has_top_k() || wish.min_p > 0 ? NAN : total(highest);
        Choice choice;
        size_t reach = has_top_k() ? (size_t)wish.num_kept : FIRST_REACH;
        while (!settle(reach, highest, all, choice)) reach *= FURTHER;
        return choice;
    }

    // The weight of all tokens, whether they are looked at or not.
    double total(double highest) const {
        double sum = sum_of_weights(logits, num_tokens, highest, wish.temperature);
        for (int64_t i = 0; i < wish.num_extra; i++) sum += weight(extra_values[i], highest);
        return sum;
    }

    // Draws from the first `reach` tokens. False when the draw may depend on others.
    bool settle(size_t reach, double highest, double all, Choice &choice) const {
        const float least = threshold(reach);
        const size_t found = gather(least), first = std::min(found, reach);
        const bool complete = has_top_k() || (found <= reach && least == -INFINITY);
        if (first < found)
            std::nth_element(room.tokens, room.tokens + (first - 1), room.tokens + found, comes_before);
        // What weighs as much as an unknown token may stand behind it, since equal weights go by id.
        const double beyond = complete ? 0.0 : weight(least_of(first), highest);
        const bool closed = beyond == 0 || beyond < wish.min_p;
        const size_t count = weighed(first, highest, beyond);
        if (!closed && (!count || std::isnan(all))) return false;
        double sum = all;
        if (closed) {
            sum = 0.0;
            for (size_t i = 0; i < count; i++) sum += room.tokens[i].value;
        }
        return draw(count, sum, closed, choice);
    }

    double least_of(size_t count) const {
        return std::max_element(room.tokens, room.tokens + count, comes_before)->value;
    }

    // Orders `count` tokens and makes weights of their logits; those that min-p takes away, or that weigh no more than
    // what is unknown, are dropped. Returns how many are left.
    size_t weighed(size_t count, double highest, double beyond) const {
        Token *tokens = room.tokens;
        std::sort(tokens, tokens + count, comes_before);
        for (size_t i = 0; i < count; i++) tokens[i].value = weight(tokens[i].value, highest);
        // Different logits may weigh the same, and then go by id.
        if (!std::is_sorted(tokens, tokens + count, comes_before)) std::sort(tokens, tokens + count, comes_before);
        while (count && (tokens[count - 1].value <= beyond || tokens[count - 1].value < wish.min_p)) count--;
        return count;
    }

    // Draws from `count` weights whose sum, or that of all tokens unless they are `closed`, is given.
    bool draw(size_t count, double sum, bool closed, Choice &choice) const {
        Token *tokens = room.tokens;
        double reached = 0.0;
        bool crossed = false;
        for (size_t i = 0; i < count && !crossed; i++) {
            reached += tokens[i].value / sum;
            crossed = has_top_p() && reached >= wish.top_p;
            if (crossed) count = i + 1;
        }
        if (!closed && has_top_p() && !crossed) return false;
        const double end = closed || has_top_p() ? reached : 1.0;
        size_t i = 0;
        for (double passed = 0.0; i < count; i++) {
            passed += tokens[i].value / sum;
            if (passed > wish.uniform * end) break;
        }
        if (i == count && !closed && !has_top_p()) return false;
        const Token &chosen = tokens[std::min(i, count - 1)];
        choice = {chosen.id, std::log(chosen.value / sum / end)};
        return true;
    }
};

} // namespace
} // namespace kiln

int kiln_draw(const float *logits, size_t rows, size_t num_tokens, const KilnDraw *wishes, const int64_t *extra_ids,
              const double *extra_values, int64_t *ids, double *logprobs, int num_threads) {
    using namespace kiln;
    int64_t most = 0;
    for (size_t row = 0; row < rows; row++) most = std::max(most, wishes[row].num_extra);
    int failed = OK;
#pragma omp parallel for num_threads(num_threads) schedule(dynamic, 1) if (rows > 1)
    for (size_t row = 0; row < rows; row++) {
        const Room room = Room::create(num_tokens, (size_t)most);
        if (!room.tokens) {
#pragma omp atomic write
            failed = NO_MEMORY;
            continue;
        }
        const KilnDraw &wish = wishes[row];
        const Row own = {logits + row * num_tokens, num_tokens, wish, extra_ids + wish.first_extra,
                         extra_values + wish.first_extra, room};
        const Choice choice = own.choose();
        ids[row] = choice.id;
        logprobs[row] = choice.logprob;
    }
    return failed;
}
