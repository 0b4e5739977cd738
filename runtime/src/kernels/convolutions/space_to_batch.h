// Space to batch: turns a convolution with dilations into an ordinary one, without dilations and padding, on more and
// smaller images. Position p of the output reads rows p * s - padding + k * d, which lie d rows apart. The positions p
// = q * (d/g) + r with the same r, where g = gcd(s, d), form a convolution of stride s/g over the rows r * s - padding,
// + d, + 2d, …: one of d/g phases of that dimension. Rows outside the input are zeros in the image.
//
//   input 6, output 6, kernel 3, stride 1, dilation 2, padding 2      (. is a zero)
//     phase 0: rows . 0 2 4 . make positions 0 2 4;  phase 1: rows . 1 3 5 . make positions 1 3 5
//
// All images have the size of phase 0. They are made and used in portions that stay in the cache.
#pragma once

#include <planrt/convolution.h>

#include <array>
#include <cstdint>

namespace planrt {

/// The images of one convolution. Shapes as in convolution.h; all extents are positive.
class SpaceToBatch {
  public:
    /// A portion has up to `most` elements of x and y, or twice the number of weights, but at least one image.
    SpaceToBatch(const Convolution &conv, std::int64_t most);

    /// The convolution to be computed on each portion.
    [[nodiscard]] const Convolution &portion() const { return portion_; }
    [[nodiscard]] std::int64_t portions() const { return portions_; }
    /// The number of elements of a portion's images.
    [[nodiscard]] std::int64_t x_elements() const { return portion_.batch * x_.image(); }
    [[nodiscard]] std::int64_t y_elements() const { return portion_.batch * y_.image(); }

    /// Copies x or y to the images of a portion, with zeros around them. Portion numbers are in [0, portions()).
    void x_to_images(std::int64_t number, const float *x, float *images) const { to_images(x_, number, x, images); }
    void y_to_images(std::int64_t number, const float *y, float *images) const { to_images(y_, number, y, images); }
    /// Writes the rows of y, or of x, that belong to the portion; no other portion has them. Rows that no window
    /// reaches belong to no portion: clear_rest() must clear them beforehand.
    void images_to_y(std::int64_t number, const float *images, float *y) const { from_images(y_, number, images, y); }
    void images_to_x(std::int64_t number, const float *images, float *x) const { from_images(x_, number, images, x); }
    void clear_rest(float *x) const;

  private:
    /// The rows of one dimension of x or y in images: row i of phase r is row r * phase_step - before + i * step.
    struct Rows {
        std::int64_t extent = 1; ///< of the tensor
        std::int64_t length = 1; ///< of an image
        std::int64_t phase_step = 1;
        std::int64_t step = 1;
        std::int64_t before = 0;
    };
    struct Images {
        std::array<Rows, most_windows> rows;
        std::int64_t channels = 1;
        [[nodiscard]] std::int64_t image() const; ///< elements
    };
    /// Rows of the images along the last dimension: those in [begin, end) lie in the tensor, from `at` on.
    struct Line {
        std::int64_t at = 0;
        std::int64_t begin = 0;
        std::int64_t end = 0;
    };

    [[nodiscard]] Line line(const Images &images, std::int64_t number) const;
    template <class Body> void for_each_line(const Images &images, std::int64_t portion, const Body &body) const;
    void to_images(const Images &images, std::int64_t number, const float *tensor, float *to) const;
    void from_images(const Images &images, std::int64_t number, const float *from, float *tensor) const;

    std::int64_t count_; ///< of the images of all portions
    std::int64_t portions_ = 1;
    std::array<std::int64_t, most_windows> phases_{};
    Images x_;
    Images y_;
    Convolution portion_;
};

} // namespace planrt
