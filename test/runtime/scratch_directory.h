// A directory for the files of one test; it goes with the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

class ScratchDirectory {
  public:
    ScratchDirectory() {
        std::string pattern = testing::TempDir() + "planrt.XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr)
            ADD_FAILURE() << "no scratch directory";
        path_ = pattern;
    }
    ScratchDirectory(const ScratchDirectory &) = delete;
    ScratchDirectory &operator=(const ScratchDirectory &) = delete;
    ~ScratchDirectory() { std::filesystem::remove_all(path_); }

    [[nodiscard]] const std::string &path() const { return path_; }
    [[nodiscard]] std::string file(const std::string &name) const { return path_ + "/" + name; }
    /// Writes a file and returns its path.
    std::string write(const std::string &name, const std::string &content) const {
        std::ofstream(file(name), std::ios::binary) << content;
        return file(name);
    }
    [[nodiscard]] std::string read(const std::string &name) const {
        std::ostringstream content;
        content << std::ifstream(file(name), std::ios::binary).rdbuf();
        return content.str();
    }

  private:
    std::string path_;
};

/// The message of the Failure that `action` throws; empty if it throws none.
template <class Action> std::string failure_of(const Action &action) {
    try {
        action();
    } catch (const std::exception &failure) {
        return failure.what();
    }
    return "";
}
