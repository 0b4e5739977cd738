// Reads safetensors files as whole arrays in double precision.
#pragma once

#include "interpret/interpret.h"

#include <map>
#include <string>

namespace planc::test {

/// By name; F32 and F64. Throws std::runtime_error where the file is not of that form.
[[nodiscard]] std::map<std::string, interpret::Array> read_safetensors(const std::string &path);

} // namespace planc::test
