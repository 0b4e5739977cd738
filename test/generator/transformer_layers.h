// Kinds of layers beyond dense ones: normalisation, attention, embeddings, dropout, masks, and what cuts, joins and
// renames.
#pragma once

#include "writer.h"

namespace planc::test {

class TransformerLayers : protected Writer {
  protected:
    using Writer::Writer;

    /// For what has been written.
    [[nodiscard]] std::vector<std::string> imports() const;

    /// An input of whole numbers, with an embedding of it as the first value; `arguments` and `calls` grow.
    void indices(std::string &arguments, std::string &calls);

    // Each adds a layer, or nothing where no value fits.
    void normalised();
    void activation();
    void dropped();
    void chosen();
    void masked();
    void positions();
    void looked_up_by_position();
    void attended();
    void attended_in_groups(const Value &x, const Dimension &head, const Dimension &feature);
    void block();
    void sliced();
    void concatenated();
    void reshaped();
    void transposed();
    void renamed();

    /// The call of a layer of the standard library, whose file is imported.
    std::string imported(const std::string &file, const std::string &call);

  private:
    /// A value [batch, sequence, features], made where there is none.
    Value sequence();
    /// One of the features of x, null if there is none.
    const Dimension *feature(const Value &x);

    std::set<std::string> files_;
};

} // namespace planc::test
