#include "report/page.h"

#include "support/xml.h"

namespace planc::report {

namespace {

constexpr const char *style =
    R"(body { font: 15px/1.45 Helvetica, Arial, sans-serif; color: #111; background: #fff; max-width: 960px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 22px; } h2 { font-size: 18px; margin-top: 2em; }
figure { margin: 1.2em 0; } figcaption { font-size: 13px; } svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: 13px; } th, td { padding: 2px 9px; border-bottom: 1px solid #bbb; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid #111; } td.why { text-align: left; white-space: normal; } td.w, th.w { text-align: left; } tr { break-inside: avoid; } figure { break-inside: avoid; }
@media print { body { max-width: none; margin: 0; } table { font-size: 9px; } th, td { padding: 1px 4px; } }
)";

} // namespace

std::string page(const std::string &title, const std::string &body) {
    const std::string words = support::xml_escaped(title);
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + words +
           "</title>\n<style>\n" + style + "</style>\n</head>\n<body>\n<h1>" + words + "</h1>\n" + body +
           "</body>\n</html>\n";
}

} // namespace planc::report
