// The header of NumPy's .npy, versions 1 to 3: a magic string, then a Python dictionary. The numbers follow, row-major.
#pragma once

#include "data/formats/compressed_file.h"
#include "data/formats/numbers.h"

namespace planrt {

/// Reads up to the first number. Errors: Failure with the file, also for column-major order and for what is not
/// numbers.
[[nodiscard]] RecordHeader read_npy_header(CompressedFile &file);

} // namespace planrt
