// Literals of Python, such as the header of a .npy file: {"descr": '<f4', 'fortran_order': False, 'shape': (3, 4,)}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace planrt {

struct PythonValue {
    enum class Kind : std::uint8_t { none, boolean, integer, string, tuple, list, dictionary } kind = Kind::none;
    bool boolean = false;
    std::int64_t integer = 0;
    std::string string;              ///< the bytes that it stands for
    std::vector<PythonValue> values; ///< of a tuple, list or dictionary, in the order of the text
    std::vector<PythonValue> keys;   ///< of a dictionary, one for each value

    /// The value of a dictionary's key; null if there is none. If a key occurs twice, its last value counts, as in
    /// Python.
    [[nodiscard]] const PythonValue *member(std::string_view key) const;
};

/// Parses strings in either quotes, short and long, with Python's escapes; whole numbers in any base, also with Python
/// 2's L; True, False, None; tuples, lists and dictionaries. Blanks, line ends and comments may stand between them.
/// Errors: Failure "expected … at byte N".
[[nodiscard]] PythonValue parse_python_literal(std::string_view text);

} // namespace planrt
