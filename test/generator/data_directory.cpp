#include "data_directory.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace planc::test {

void write_data(const PlanFile &file, const std::string &directory) {
    for (const DataFile &data : file.files) {
        std::ofstream stream(directory + "/" + data.name);
        stream << data.text;
        if (!stream.flush())
            throw std::runtime_error("'" + directory + "/" + data.name + "' cannot be written");
    }
}

DataDirectory::DataDirectory(const PlanFile &file) {
    if (file.files.empty())
        return;
    llvm::SmallString<64> path;
    if (llvm::sys::fs::createUniqueDirectory("graph", path))
        throw std::runtime_error("there is no place for files of a case");
    path_ = path.str().str();
    write_data(file, path_);
}

DataDirectory::~DataDirectory() {
    std::error_code left; // files of a test that are left are no failure
    if (!path_.empty())
        std::filesystem::remove_all(path_, left);
}

} // namespace planc::test
