// The files of data sets, as far as they can be seen where planc runs: warnings only, since the program may run
// elsewhere.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

/// Of the data sets that something is trained on: is there a file where the program will look for it, and do the first
/// lines of a CSV file have numbers in the columns that are taken?
void check_data_files(const Analysis &analysis);

} // namespace planc::sema
