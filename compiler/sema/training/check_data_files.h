// Checks the files of data sets where planc runs. It only warns, since the program may run elsewhere.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

/// Checks the data sets on which something is trained: whether their files are where the program will look for them,
/// and whether the first lines of a CSV file have numbers in the columns that are read.
void check_data_files(const Analysis &analysis);

} // namespace planc::sema
