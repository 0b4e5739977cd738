// IDX, the format of MNIST (LeCun): 0 0 TYPE RANK, the extents and the numbers, all big-endian; plain or gzip.
#include "data/formats/readers.h"
#include "data/records.h"

#include "support/failure.h"

namespace planrt {

namespace {

RecordHeader read_header(CompressedFile &file) {
    unsigned char magic[4] = {};
    if (file.read(magic, sizeof magic) < sizeof magic || magic[0] != 0 || magic[1] != 0)
        throw Failure(file.path() + ": is not an IDX file: it does not begin with two zero bytes");
    RecordHeader header{Number::u8, /*big_endian=*/true, {}};
    switch (magic[2]) {
    case 0x08:
        header.number = Number::u8;
        break;
    case 0x09:
        header.number = Number::i8;
        break;
    case 0x0B:
        header.number = Number::i16;
        break;
    case 0x0C:
        header.number = Number::i32;
        break;
    case 0x0D:
        header.number = Number::f32;
        break;
    case 0x0E:
        header.number = Number::f64;
        break;
    default:
        throw Failure(text("%s: is not an IDX file: type 0x%02x is unknown", file.path().c_str(), magic[2]));
    }
    for (int dimension = 0; dimension < magic[3]; ++dimension) {
        unsigned char bytes[4] = {};
        if (file.read(bytes, sizeof bytes) < sizeof bytes)
            throw Failure(file.path() + ": ends in its header");
        header.extents.push_back((std::int64_t{bytes[0]} << 24) | (bytes[1] << 16) | (bytes[2] << 8) | bytes[3]);
    }
    return header;
}

} // namespace

void read_idx(const DataSource &source, std::vector<FieldStore> &stores) {
    for (FieldStore &store : stores) {
        CompressedFile file(source.path(store.field().file));
        read_records(file, read_header(file), store);
    }
}

} // namespace planrt
