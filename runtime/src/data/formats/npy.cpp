// NumPy's .npy: a header and the numbers.
#include "data/formats/npy_header.h"
#include "data/formats/readers.h"
#include "data/records.h"

namespace planrt {

void read_npy(const DataSource &source, std::vector<FieldStore> &stores) {
    for (FieldStore &store : stores) {
        CompressedFile file(source.path(store.field().file));
        read_records(file, read_npy_header(file), store);
    }
}

} // namespace planrt
