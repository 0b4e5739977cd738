// The part of JSON that the runtime needs: quoted strings for what it writes, and a reader for the headers of
// safetensors files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace planrt {

/// The text in double quotes, escaped.
[[nodiscard]] std::string json_quoted(std::string_view text);

struct JsonValue {
    enum class Kind : std::uint8_t { null, boolean, number, string, array, object } kind = Kind::null;
    bool boolean = false;
    double number = 0;
    std::string string;
    std::vector<JsonValue> values;  ///< of an array or an object, in the order of the text
    std::vector<std::string> names; ///< of an object's members, one for each value

    /// The member of an object; null if there is none.
    [[nodiscard]] const JsonValue *member(std::string_view name) const;
};

/// Throws Failure "JSON: … at byte N"; also if an object has two members with the same name.
[[nodiscard]] JsonValue parse_json(std::string_view text);

} // namespace planrt
