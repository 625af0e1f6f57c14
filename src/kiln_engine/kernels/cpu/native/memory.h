// Room to work in: aligned, kept by each thread between calls, grown when a call needs more.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace kiln {

// `slot` keeps apart what one thread uses at the same time. Null when there is no memory.
inline void *scratch(int slot, size_t num_bytes) {
    struct Kept {
        void *memory = nullptr;
        size_t size = 0;
        ~Kept() { free(memory); }
    };
    static thread_local Kept kept[2];
    Kept &own = kept[slot];
    if (own.size < num_bytes) {
        free(own.memory);
        own.size = (num_bytes + 4095) / 4096 * 4096;
        own.memory = aligned_alloc(64, own.size);
        if (!own.memory) own.size = 0;
    }
    return own.memory;
}

enum Slot { SHARED, OWN };

constexpr int OK = 0, NO_MEMORY = 1, BAD_TYPE = 2, BAD_INDEX = 3;

} // namespace kiln
