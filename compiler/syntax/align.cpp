#include "syntax/align.h"

#include <algorithm>
#include <span>

namespace planc::syntax {

namespace {

/// Stops that are aligned: consecutive ones, as long as none is too far from the others.
class Section {
  public:
    void add(Stop &stop) {
        if (!stops_.empty() && std::max(high_, stop.column) - std::min(low_, stop.column) > widest_padding)
            finish();
        low_ = stops_.empty() ? stop.column : std::min(low_, stop.column);
        high_ = stops_.empty() ? stop.column : std::max(high_, stop.column);
        stops_.push_back(&stop);
    }
    void finish() {
        for (Stop *stop : stops_)
            stop->blanks = high_ - stop->column;
        stops_.clear();
    }

  private:
    std::vector<Stop *> stops_;
    int low_ = 0;
    int high_ = 0;
};

void line_up(std::span<Row> neighbours) {
    Section values;
    for (Row &row : neighbours)
        row.value ? values.add(*row.value) : values.finish();
    values.finish();
    Section comments;
    for (Row &row : neighbours) {
        if (!row.comment)
            continue;
        row.comment->column += row.value ? row.value->blanks : 0;
        comments.add(*row.comment);
    }
    comments.finish();
}

} // namespace

std::string align(const std::string &text, std::vector<Row> rows) {
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
        end = begin + 1;
        while (end < rows.size() && rows[end].line == rows[end - 1].line + 1 && rows[end].indent == rows[begin].indent)
            ++end;
        line_up(std::span(rows).subspan(begin, end - begin));
    }
    std::string out;
    std::size_t copied = 0;
    for (const Row &row : rows) {
        for (const auto &stop : {row.value, row.comment}) {
            if (!stop)
                continue;
            out.append(text, copied, stop->offset - copied).append(static_cast<std::size_t>(stop->blanks), ' ');
            copied = stop->offset;
        }
    }
    return out.append(text, copied);
}

} // namespace planc::syntax
