// Calls that were written down, one after the other: what a caller knows beforehand needs no caller in between.
#include <type_traits>
#include <utility>

#include "abi.h"
#include "memory.h"

namespace kiln {
namespace {

template <typename T> T taken(const KilnValue &value) {
    if constexpr (std::is_pointer_v<T>)
        return (T)value.address;
    else if constexpr (std::is_floating_point_v<T>)
        return (T)value.number;
    else
        return (T)value.integer;
}

template <typename... Types, size_t... Places>
int call(int (*function)(Types...), const KilnValue *values, std::index_sequence<Places...>) {
    static_assert(sizeof...(Types) <= KILN_MOST_VALUES, "a call has room for its values");
    return function(taken<Types>(values[Places])...);
}

template <typename... Types> int call(int (*function)(Types...), const KilnValue *values) {
    return call(function, values, std::index_sequence_for<Types...>());
}

int run(const KilnCall &own) {
    switch (own.function) {
    case KILN_EMBED: return call(kiln_embed, own.values);
    case KILN_LINEAR: return call(kiln_linear, own.values);
    case KILN_ADD_NORM: return call(kiln_add_norm, own.values);
    case KILN_ACT_MUL: return call(kiln_act_mul, own.values);
    case KILN_ROPE_WRITE: return call(kiln_rope_write, own.values);
    case KILN_ATTENTION: return call(kiln_attention, own.values);
    }
    return BAD_INDEX;
}

} // namespace
} // namespace kiln

int kiln_run(const KilnCall *calls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const int code = kiln::run(calls[i]);
        if (code) return code;
    }
    return kiln::OK;
}
