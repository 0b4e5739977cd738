// What IDX and .npy share: records of numbers of one type and of fixed size, one record per sample.
#pragma once

#include "data/formats/compressed_file.h"
#include "data/formats/numbers.h"
#include "data/store.h"

namespace planrt {

/// Reads all records after the header into `store`. Throws Failure if the records do not have as many numbers as the
/// field needs, if the file is too short or too long, or if a label is out of range.
void read_records(CompressedFile &file, const RecordHeader &header, FieldStore &store);

} // namespace planrt
