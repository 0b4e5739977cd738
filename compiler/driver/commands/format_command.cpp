// planc fmt.

#include "driver/commands/commands.h"
#include "driver/files/read_file.h"
#include "driver/files/write_file.h"

#include "support/diagnostics.h"
#include "syntax/parse.h"
#include "syntax/print.h"

#include <iostream>

namespace planc::driver {

int format_command(const Options &options) {
    support::SourceFiles files;
    support::Diagnostics diagnostics(files);
    std::string text;
    if (std::string error = read_file(options.file, text); !error.empty()) {
        std::cerr << "planc: " << error << '\n';
        return input_error;
    }
    const auto file = syntax::parse(files.add(options.file, text), files, diagnostics);
    std::cerr << diagnostics.render();
    if (!file)
        return input_error;
    const std::string formatted = syntax::format(*file, files);
    if (options.check_only) {
        if (formatted == text)
            return done;
        std::cerr << "planc: '" << options.file << "' is not in canonical form; `planc fmt -i` writes it\n";
        return input_error;
    }
    if (!options.in_place) {
        std::cout << formatted;
        return done;
    }
    if (formatted == text)
        return done;
    if (std::string error = write_file(options.file, formatted); !error.empty()) {
        std::cerr << "planc: " << error << '\n';
        return input_error;
    }
    return done;
}

} // namespace planc::driver
