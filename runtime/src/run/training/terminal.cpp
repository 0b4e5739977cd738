#include "run/training/terminal.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace planrt {

bool output_is_terminal() {
    if (isatty(STDOUT_FILENO) == 0)
        return false;
    if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr)
        return true;
    const std::string parent = "/proc/" + std::to_string(getppid()) + "/fd/1";
    struct stat status{};
    if (stat(parent.c_str(), &status) != 0 || !S_ISCHR(status.st_mode))
        return false;
    const unsigned number = major(status.st_rdev); // Linux: devices.txt
    return number == 4 || (number >= 136 && number <= 143);
}

} // namespace planrt
