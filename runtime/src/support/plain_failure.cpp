#include "support/plain_failure.h"

#include <cstdarg>
#include <cstdio>

namespace planrt {

std::string text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    std::string result(std::vsnprintf(nullptr, 0, format, arguments), '\0');
    va_end(arguments);
    std::vsnprintf(result.data(), result.size() + 1, format, again);
    va_end(again);
    return result;
}

} // namespace planrt
