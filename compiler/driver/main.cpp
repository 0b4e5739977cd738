// planc: the command.

#include "driver/commands/commands.h"
#include "driver/files/locate.h"
#include "driver/files/write_file.h"
#include "driver/options/options.h"

#ifdef PLANC_MIMALLOC
#include <mimalloc.h>
#endif

#include <cstdlib>
#include <iostream>

/// Keeps freed pages: a command ends soon and would only request them again.
static void keep_memory() {
#ifdef PLANC_MIMALLOC
    mi_option_disable(mi_option_allow_decommit);
#endif
}

int main(int argc, char **argv) {
    using namespace planc::driver;
    keep_memory();
    const auto parsed = parse_options({argv + 1, argv + argc});
    if (const auto *wrong = std::get_if<std::string>(&parsed)) {
        std::cerr << "planc: " << *wrong << "; `planc --help` lists all options\n";
        return usage_error;
    }
    Options options = std::get<Options>(parsed);
    const Installation installation = locate_installation();
    options.file = installation.path_of(options.file);
    for (std::string &file : options.lists.files)
        file = installation.path_of(file);
    // The memory is freed as a whole; threads that still free it piece by piece need not finish.
    std::_Exit(flush_standard_output(run(options)));
}
