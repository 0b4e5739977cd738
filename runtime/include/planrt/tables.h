// Tables of a program whose layers repeat. They are filled when the program begins, layer by layer, instead of being
// written out.
//
//   void fill(planrt::Tables &tables) {
//       for (const char *layer : {"block[0]", "block[1]"})
//           tables.variable({tables.in_layer("%.w", layer), …});
//   }
//   const planrt::Tables tables(fill);
//   const planrt::Program program{…, .variables = tables.variables(), …};
#pragma once

#include <planrt/planrt.h>

#include <initializer_list>
#include <memory>
#include <span>

namespace planrt {

class Tables {
  public:
    explicit Tables(void (*fill)(Tables &));
    Tables(const Tables &) = delete;
    Tables &operator=(const Tables &) = delete;
    ~Tables();

    /// Returns the pattern with the layer's name in place of every '%'. All texts live as long as the tables.
    const char *in_layer(const char *pattern, const char *layer);

    void variable(const Variable &variable);
    /// Adds a row to Program::sums.
    void sum(const Sum &sum);
    /// Adds a row to Program::work.
    void work(const Work &row);
    /// Adds a tensor to the next collective. `layer`: the layer that it belongs to; "": the layer of the previous
    /// tensor.
    void member(const char *layer, const char *tensor, const Tensor &from, const Tensor &to);
    /// Adds a collective of the tensors that member() has added since the previous collective. Its row in
    /// Program::traffic names these tensors and their layers, each layer once.
    void collective(CollectiveKind kind, std::span<const int> axes, const char *phase, std::int64_t scratch_offset,
                    std::int64_t scratch_bytes, std::initializer_list<Collective::Predicted> predicted, double seconds,
                    Algorithm algorithm = Algorithm::mpi, std::span<const int> shape = {}, bool staged = false);

    [[nodiscard]] std::span<const Variable> variables() const;
    [[nodiscard]] std::span<const Sum> sums() const;
    [[nodiscard]] std::span<const Work> work() const;
    [[nodiscard]] std::span<const TrafficRow> traffic() const;
    [[nodiscard]] std::span<const Collective> collectives() const;

  private:
    struct Rows;
    std::unique_ptr<Rows> rows_;
};

} // namespace planrt
