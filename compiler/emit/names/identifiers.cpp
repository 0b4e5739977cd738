#include "emit/names/identifiers.h"

namespace planc::emit {

namespace {

bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Names that begin with a small letter and that C++ or an emitted program knows.
const std::set<std::string, std::less<>> &reserved() {
    static const std::set<std::string, std::less<>> words{
        // keywords of C++20
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
        "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr",
        "constinit", "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete",
        "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for",
        "friend", "goto", "if", "import", "inline", "int", "long", "module", "mutable", "namespace", "new", "noexcept",
        "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register",
        "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
        "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
        "typeof", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
        // macros that compilers and the headers of C and POSIX define (test/emit/macros.test looks for more)
        "alloca", "assert", "assert_perror", "be16toh", "be32toh", "be64toh", "errno", "htobe16", "htobe32", "htobe64",
        "htole16", "htole32", "htole64", "htonl", "htons", "i386", "issubnormal", "le16toh", "le32toh", "le64toh",
        "linux", "major", "makedev", "math_errhandling", "minor", "ntohl", "ntohs", "offsetof", "pthread_cleanup_pop",
        "pthread_cleanup_pop_restore_np", "pthread_cleanup_push", "pthread_cleanup_push_defer_np", "s6_addr",
        "s6_addr16", "s6_addr32", "sa_handler", "sa_sigaction", "sched_priority", "setjmp", "si_addr", "si_addr_lsb",
        "si_arch", "si_band", "si_call_addr", "si_fd", "si_int", "si_lower", "si_overrun", "si_pid", "si_pkey",
        "si_ptr", "si_status", "si_stime", "si_syscall", "si_timerid", "si_uid", "si_upper", "si_utime", "si_value",
        "sigev_notify_attributes", "sigev_notify_function", "sigmask", "sigsetjmp", "st_atime", "st_ctime", "st_mtime",
        "stderr", "stdin", "stdout", "strdupa", "strndupa", "timeradd", "timerclear", "timercmp", "timerisset",
        "timersub", "unix", "va_arg", "va_copy", "va_end", "va_start",
        // what an emitted program is made of
        "std", "planrt", "main", "context", "local", "at", "step", "i", "j", "k", "l", "int32_t", "int64_t", "extents",
        "permutation", "forward", "backward", "update", "train_step", "evaluate_step", "set_up", "program"};
    return words;
}

/// Letters and digits, a '_' for each run of other characters between them.
std::string letters_and_digits(std::string_view name) {
    std::string result;
    for (const char c : name) {
        if (is_lower(c) || is_upper(c) || is_digit(c))
            result += c;
        else if (c == '\'')
            result += (result.empty() || result.back() == '_' ? "in" : "_in");
        else if (!result.empty() && result.back() != '_')
            result += '_';
    }
    while (!result.empty() && result.back() == '_')
        result.pop_back();
    if (result.empty())
        return "unnamed";
    return is_digit(result.front()) ? "n" + result : result;
}

/// Appends a '_' to names that may be macros or types: most of these begin with a capital letter, the others are
/// reserved().
std::string unlike_others(const std::string &name) {
    return is_upper(name.front()) || reserved().contains(name) ? name + "_" : name;
}

} // namespace

std::string identifier(std::string_view name) {
    return unlike_others(letters_and_digits(name));
}

std::string UniqueNames::add(std::string_view name) {
    const std::string base = letters_and_digits(name);
    std::string candidate = unlike_others(base);
    for (int number = 2; !taken_.insert(candidate).second; ++number)
        candidate = unlike_others(base + "_" + std::to_string(number)); // M_PI_2 is a macro as M_PI is
    return candidate;
}

} // namespace planc::emit
