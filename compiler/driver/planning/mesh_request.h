// Turns the mesh of the .plan file and of the command line into the planner's request.
#pragma once

#include "driver/planning/request.h"

namespace planc::driver {

template <class T> std::vector<std::string> names_of(const std::vector<T> &declarations) {
    std::vector<std::string> names;
    for (const T &declaration : declarations)
        names.push_back(declaration.name);
    return names;
}

/// "; did you mean 'rows'?"; empty if no candidate is near.
[[nodiscard]] std::string hint(const std::string &name, const std::vector<std::string> &candidates);

/// Sets mesh, ranks and effort of the request. Null: no mesh, no layout is named. Throws RequestError.
void set_mesh(const sema::Mesh *mesh, const sema::Layout *layout, const Options &options, PlanRequest &request);

} // namespace planc::driver
