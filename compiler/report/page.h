// The frame of a page: a self-contained HTML document with the style of all reports.
#pragma once

#include <string>

namespace planc::report {

/// A document with this title, as its heading too. `body` is HTML.
[[nodiscard]] std::string page(const std::string &title, const std::string &body);

} // namespace planc::report
