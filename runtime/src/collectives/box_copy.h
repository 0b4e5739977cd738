// Copies a box of elements between two dense row-major buffers, or adds it to what is there. The copy is prepared at
// set-up and runs within steps without allocation.
#pragma once

#include "collectives/combine.h"

#include <planrt/layout.h>

#include <cstddef>
#include <vector>

namespace planrt {

class BoxCopy {
  public:
    /// `from` holds the elements of `from_box`, `to` those of `to_box`; `moved` lies within both. Global indices.
    BoxCopy(const std::byte *from, const Box &from_box, std::byte *to, const Box &to_box, const Box &moved,
            std::size_t element_bytes);

    void run() const { run(0, from_, to_, nullptr); }
    /// Combines what moves with what is there.
    void run(Combine combine) const { run(0, from_, to_, combine); }

    /// Whether it is one run of bytes, so that one buffer could replace the other.
    [[nodiscard]] bool contiguous() const { return loops_.empty(); }
    [[nodiscard]] const std::byte *from() const { return from_; }
    [[nodiscard]] std::byte *to() const { return to_; }

  private:
    struct Loop {
        std::int64_t count;
        std::int64_t from_stride; ///< bytes
        std::int64_t to_stride;   ///< bytes
        /// Where indices are listed: the bytes of each, in place of strides.
        std::vector<std::int64_t> from_offsets = {};
        std::vector<std::int64_t> to_offsets = {};
    };
    void run(std::size_t depth, const std::byte *from, std::byte *to, Combine combine) const;

    const std::byte *from_; ///< first byte that moves
    std::byte *to_;
    std::size_t element_bytes_;
    std::size_t run_bytes_;
    std::vector<Loop> loops_; ///< outermost first
};

} // namespace planrt
