// A directory for temporary files, which is deleted with its object.
#pragma once

#include <string>

namespace planc::driver {

class Workshop {
  public:
    /// `command`: the command of planc, which becomes part of the directory's name.
    explicit Workshop(const std::string &command);
    ~Workshop();
    Workshop(const Workshop &) = delete;
    Workshop &operator=(const Workshop &) = delete;

    [[nodiscard]] bool exists() const { return !path_.empty(); }
    [[nodiscard]] std::string file(const std::string &name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

} // namespace planc::driver
