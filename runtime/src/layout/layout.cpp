#include <planrt/layout.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace planrt {

const char *name_of(CollectiveKind kind) {
    switch (kind) {
    case CollectiveKind::slice:
        return "slice";
    case CollectiveKind::all_gather:
        return "all-gather";
    case CollectiveKind::reduce_scatter:
        return "reduce-scatter";
    case CollectiveKind::all_reduce:
        return "all-reduce";
    case CollectiveKind::all_to_all:
        return "all-to-all";
    case CollectiveKind::exchange:
        return "exchange";
    }
    return "";
}

static int product(const std::vector<int> &sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
}

Mesh Mesh::at(int axis, int position) const {
    if (!is_even())
        return {sizes_at[position], -1, {}};
    Mesh result = *this;
    result.sizes[axis] = 1;
    return result;
}

int Mesh::first_rank(int position) const {
    int ranks = 0;
    for (int before = 0; before < position; ++before)
        ranks += product(sizes_at[before]);
    return ranks;
}

int Mesh::ranks() const {
    return is_even() ? product(sizes) : first_rank(static_cast<int>(sizes_at.size()));
}

std::vector<int> Mesh::coordinates(int rank) const {
    if (!is_even()) {
        int position = 0;
        for (; rank >= product(sizes_at[position]); ++position)
            rank -= product(sizes_at[position]);
        std::vector<int> result = at(uneven_along, position).coordinates(rank);
        result[uneven_along] = position;
        return result;
    }
    std::vector<int> result(sizes.size());
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
        result[axis] = rank % sizes[axis];
        rank /= sizes[axis];
    }
    return result;
}

int Mesh::rank(std::span<const int> coordinates) const {
    if (!is_even()) {
        std::vector<int> within(coordinates.begin(), coordinates.end());
        const int position = std::exchange(within[uneven_along], 0);
        return first_rank(position) + at(uneven_along, position).rank(within);
    }
    int result = 0;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
        result = result * sizes[axis] + coordinates[axis];
    return result;
}

std::vector<int> Mesh::group(int rank, std::span<const int> axes) const {
    int members = 1;
    for (int axis : axes)
        members *= sizes[axis];
    std::vector<int> coordinates = this->coordinates(rank);
    std::vector<int> result;
    result.reserve(members);
    for (int member = 0; member < members; ++member) {
        int rest = member;
        for (std::size_t i = axes.size(); i-- > 0;) {
            coordinates[axes[i]] = rest % sizes[axes[i]];
            rest /= sizes[axes[i]];
        }
        if (exists(coordinates))
            result.push_back(this->rank(coordinates));
    }
    return result;
}

bool Mesh::exists(std::span<const int> coordinates) const {
    if (is_even())
        return true;
    const std::vector<int> &own = sizes_at[coordinates[uneven_along]];
    for (std::size_t axis = 0; axis < own.size(); ++axis)
        if (static_cast<int>(axis) != uneven_along && coordinates[axis] >= own[axis])
            return false;
    return true;
}

Mesh uneven_mesh(int axis, std::vector<std::vector<int>> sizes_at) {
    const bool even = std::all_of(sizes_at.begin(), sizes_at.end(),
                                  [&](const std::vector<int> &sizes) { return sizes == sizes_at.front(); });
    Mesh mesh{sizes_at.front()};
    for (const std::vector<int> &sizes : sizes_at)
        for (std::size_t each = 0; each < sizes.size(); ++each)
            mesh.sizes[each] = std::max(mesh.sizes[each], sizes[each]);
    mesh.sizes[axis] = static_cast<int>(sizes_at.size());
    if (even)
        return mesh;
    mesh.uneven_along = axis;
    mesh.sizes_at = std::move(sizes_at);
    return mesh;
}

std::string size_text(const Mesh &mesh, int axis) {
    const auto same = [&](const std::vector<int> &sizes) { return sizes[axis] == mesh.sizes[axis]; };
    if (axis == mesh.uneven_along || std::all_of(mesh.sizes_at.begin(), mesh.sizes_at.end(), same))
        return std::to_string(mesh.sizes[axis]);
    std::string text;
    for (const std::vector<int> &sizes : mesh.sizes_at)
        text += (text.empty() ? "[" : ", ") + std::to_string(sizes[axis]);
    return text + "]";
}

std::int64_t volume(const Box &box) {
    std::int64_t result = 1;
    for (const Range &range : box)
        result *= range.size();
    return result;
}

Range intersect(Range a, Range b) {
    const std::int64_t begin = std::max(a.begin, b.begin);
    return {begin, std::max(begin, std::min(a.end, b.end)), a.listed != nullptr ? a.listed : b.listed};
}

bool is_run(const Range &part, const Range &whole) {
    const std::int64_t size = part.size();
    return size == 0 || part.listed == whole.listed ||
           whole.position(part.index(size - 1)) - whole.position(part.index(0)) == size - 1;
}

Box intersect(const Box &a, const Box &b) {
    Box result(a.size());
    for (std::size_t d = 0; d < a.size(); ++d)
        result[d] = intersect(a[d], b[d]);
    return result;
}

Range block(Range whole, int parts, int index) {
    const std::int64_t size = whole.size() / parts;
    const std::int64_t larger = whole.size() % parts;
    const std::int64_t begin = whole.begin + index * size + std::min<std::int64_t>(index, larger);
    return {begin, begin + size + (index < larger ? 1 : 0)};
}

/// Rounded down, for positive `b`.
static std::int64_t divided(std::int64_t a, std::int64_t b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

Range touched(const Window &window, Range positions, std::int64_t extent) {
    if (positions.size() == 0)
        return {};
    const std::int64_t reach = (window.kernel - 1) * window.dilation;
    Range range;
    if (window.transposed) { // q = (p + padding - k * dilation) / stride
        range.begin = -divided(-(positions.begin + window.padding - reach), window.stride);
        range.end = divided(positions.end - 1 + window.padding, window.stride) + 1;
    } else {
        range.begin = positions.begin * window.stride - window.padding;
        range.end = (positions.end - 1) * window.stride - window.padding + reach + 1;
    }
    range = {std::max<std::int64_t>(range.begin, 0), std::min(range.end, extent)};
    return range.size() > 0 ? range : Range{};
}

Range part_of(Range touched, WindowPart part, Range own) {
    switch (part) {
    case WindowPart::all:
        break;
    case WindowPart::before:
        return intersect(touched, {touched.begin, own.begin});
    case WindowPart::within:
        return intersect(touched, own);
    case WindowPart::behind:
        return intersect(touched, {own.end, touched.end});
    }
    return touched;
}

CutBlock cut_block(const CutBlock &whole, int parts, int index) {
    if (whole.row_cuts < 0)
        return {block(whole.positions, parts, index), block(whole.own, parts, index)};
    if (whole.row_cuts > 0)
        return {block(whole.positions, parts, index), whole.own, whole.row_cuts - 1};
    return {whole.positions, block(whole.own, parts, index), 0};
}

bool is_windowed(const Placement &placement) {
    return std::any_of(placement.dimensions.begin(), placement.dimensions.end(),
                       [](const DimensionPlacement &dimension) { return dimension.window.has_value(); });
}

bool has_addends(const Placement &placement) {
    return std::any_of(
        placement.dimensions.begin(), placement.dimensions.end(),
        [](const DimensionPlacement &dimension) { return dimension.window && dimension.window->addends; });
}

bool has_halos(const Placement &placement) {
    return std::any_of(placement.dimensions.begin(), placement.dimensions.end(),
                       [](const DimensionPlacement &dimension) { return dimension.window && !dimension.is_sparse(); });
}

Box local_box(const Placement &placement, const Mesh &mesh, int rank) {
    const std::vector<int> coordinates = mesh.coordinates(rank);
    Box result;
    result.reserve(placement.dimensions.size());
    for (const DimensionPlacement &dimension : placement.dimensions) {
        CutBlock cut = dimension.whole();
        for (int axis : dimension.axes)
            cut = cut_block(cut, mesh.sizes[axis], coordinates[axis]);
        result.push_back(dimension.indices(cut));
    }
    return result;
}

Range stored_range(const Placement &placement, const Mesh &mesh, int rank) {
    const std::vector<int> coordinates = mesh.coordinates(rank);
    Range range{0, volume(local_box(placement, mesh, rank))};
    for (int axis : placement.stored)
        range = block(range, mesh.sizes[axis], coordinates[axis]);
    return range;
}

std::int64_t local_volume(const Placement &placement, const Mesh &mesh, int rank) {
    return stored_range(placement, mesh, rank).size();
}

/// The largest range of indices among the blocks into which the axes from number `next` on split `rest`.
static std::int64_t largest_range(const DimensionPlacement &dimension, const Mesh &mesh, std::size_t next,
                                  const CutBlock &rest) {
    if (next == dimension.axes.size())
        return dimension.indices(rest).size();
    const int parts = mesh.sizes[dimension.axes[next]];
    std::int64_t largest = 0;
    for (int index = 0; index < parts; ++index)
        largest = std::max(largest, largest_range(dimension, mesh, next + 1, cut_block(rest, parts, index)));
    return largest;
}

/// The length of the largest part of a dimension.
static std::int64_t largest_range(const DimensionPlacement &dimension, const Mesh &mesh) {
    if (!dimension.is_sparse())
        return largest_range(dimension, mesh, 0, dimension.whole());
    std::vector<int> row_cuts;
    std::vector<int> column_cuts;
    for (const int axis : dimension.axes)
        (std::ssize(row_cuts) < dimension.window->row_cuts ? row_cuts : column_cuts).push_back(mesh.sizes[axis]);
    return most_needed_rows(dimension.window->matrix, row_cuts, column_cuts);
}

std::int64_t largest_volume(const Placement &placement, const Mesh &mesh) {
    if (!is_windowed(placement)) { // block() puts the larger blocks first
        std::int64_t volume = 1;
        for (const DimensionPlacement &dimension : placement.dimensions) {
            std::int64_t length = dimension.extent;
            for (int axis : dimension.axes)
                length = (length + mesh.sizes[axis] - 1) / mesh.sizes[axis];
            volume *= length;
        }
        for (int axis : placement.stored)
            volume = (volume + mesh.sizes[axis] - 1) / mesh.sizes[axis];
        return volume;
    }
    std::int64_t result = 1; // no axis splits two dimensions, so some rank has the largest range of each
    for (const DimensionPlacement &dimension : placement.dimensions)
        result *= largest_range(dimension, mesh);
    return result;
}

namespace {

/// Finds the ranks whose boxes under a placement meet a given box; it descends only into overlapping cuts.
class Overlaps {
  public:
    /// `varying[axis]`: ranks with all coordinates along it are considered; otherwise only `coordinates[axis]`.
    Overlaps(const Placement &placement, const Mesh &mesh, const Box &box, std::vector<int> coordinates,
             const std::vector<bool> &varying)
        : placement_(placement), mesh_(mesh), box_(box), coordinates_(std::move(coordinates)), varying_(varying) {
        std::vector<bool> cuts(mesh.sizes.size(), false);
        for (const DimensionPlacement &dimension : placement.dimensions)
            for (int axis : dimension.axes)
                cuts[axis] = true;
        for (std::size_t axis = 0; axis < cuts.size(); ++axis)
            if (varying[axis] && !cuts[axis])
                replicas_.push_back(static_cast<int>(axis));
    }

    /// Ascending by rank; non-empty intersections only.
    std::vector<Transfer> find() {
        current_.resize(box_.size());
        descend(0, 0, box_.empty() ? CutBlock{} : placement_.dimensions[0].whole());
        std::sort(found_.begin(), found_.end(), [](const Transfer &a, const Transfer &b) { return a.peer < b.peer; });
        return std::move(found_);
    }

  private:
    void descend(std::size_t dimension, std::size_t cuts, const CutBlock &cut) {
        if (dimension == box_.size())
            return add_replicas(0);
        const DimensionPlacement &placed = placement_.dimensions[dimension];
        const bool is_last = cuts == placed.axes.size();
        const Range common = intersect(is_last ? placed.indices(cut) : placed.reach(cut), box_[dimension]);
        if (common.size() == 0)
            return;
        if (is_last) {
            current_[dimension] = common;
            const std::size_t next = dimension + 1;
            return descend(next, 0, next < box_.size() ? placement_.dimensions[next].whole() : CutBlock{});
        }
        const int axis = placed.axes[cuts];
        const int parts = mesh_.sizes[axis];
        if (!varying_[axis])
            return descend(dimension, cuts + 1, cut_block(cut, parts, coordinates_[axis]));
        const int own = coordinates_[axis];
        for (int index = 0; index < parts; ++index) {
            coordinates_[axis] = index;
            descend(dimension, cuts + 1, cut_block(cut, parts, index));
        }
        coordinates_[axis] = own;
    }

    void add_replicas(std::size_t i) {
        if (i == replicas_.size()) {
            found_.push_back({mesh_.rank(coordinates_), current_});
            return;
        }
        const int axis = replicas_[i];
        const int own = coordinates_[axis];
        for (int index = 0; index < mesh_.sizes[axis]; ++index) {
            coordinates_[axis] = index;
            add_replicas(i + 1);
        }
        coordinates_[axis] = own;
    }

    const Placement &placement_;
    const Mesh &mesh_;
    const Box &box_;
    std::vector<int> coordinates_;
    const std::vector<bool> &varying_;
    std::vector<int> replicas_;
    Box current_;
    std::vector<Transfer> found_;
};

} // namespace

Exchange exchange(const Placement &from, const Placement &to, const Mesh &mesh, int rank) {
    std::vector<bool> cuts_from(mesh.sizes.size(), false);
    for (const DimensionPlacement &dimension : from.dimensions)
        for (int axis : dimension.axes)
            cuts_from[axis] = true;
    const std::vector<int> coordinates = mesh.coordinates(rank);
    const Box held = local_box(from, mesh, rank);
    const Box wanted = local_box(to, mesh, rank);
    const auto others = [rank](std::vector<Transfer> all) {
        std::erase_if(all, [rank](const Transfer &transfer) { return transfer.peer == rank; });
        return all;
    };
    Exchange result;
    result.sends = others(Overlaps(to, mesh, held, coordinates, cuts_from).find());
    result.receives = others(Overlaps(from, mesh, wanted, coordinates, cuts_from).find());
    if (Box kept = intersect(held, wanted); volume(kept) > 0)
        result.kept.push_back(std::move(kept));
    return result;
}

bool Role::has(std::span<const int> mesh_coordinates) const {
    for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
        if (mesh_coordinates[axis] < coordinates[axis].begin || mesh_coordinates[axis] >= coordinates[axis].end)
            return false;
    return true;
}

Mesh Role::mesh(const Mesh &whole) const {
    if (coordinates.empty())
        return whole;
    Mesh own;
    for (const Range &range : coordinates)
        own.sizes.push_back(static_cast<int>(range.size()));
    return own;
}

int Role::rank_within(const Mesh &whole, int rank) const {
    std::vector<int> own = whole.coordinates(rank);
    if (!has(own))
        return -1;
    for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
        own[axis] -= static_cast<int>(coordinates[axis].begin);
    return mesh(whole).rank(own);
}

int Role::rank_of(const Mesh &whole, int rank_within) const {
    std::vector<int> found = mesh(whole).coordinates(rank_within);
    for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
        found[axis] += static_cast<int>(coordinates[axis].begin);
    return whole.rank(found);
}

Role role_at(const Mesh &mesh, int axis, int position) {
    Role role;
    for (const int size : mesh.at(axis, position).sizes)
        role.coordinates.push_back({0, size});
    role.coordinates[axis] = {position, position + 1};
    return role;
}

namespace {

/// An exchange between roles, as one rank takes part in it.
class RoleExchange {
  public:
    RoleExchange(const RolePlacement &from, const RolePlacement &to, const Mesh &mesh, int rank)
        : from_(from), to_(to), whole_(mesh), from_mesh_(from.role.mesh(mesh)), to_mesh_(to.role.mesh(mesh)),
          rank_(rank), holds_(from.role.rank_within(mesh, rank)), wants_(to.role.rank_within(mesh, rank)),
          cuts_from_(mesh.sizes.size(), false) {
        for (const DimensionPlacement &dimension : from.placement.dimensions)
            for (const int axis : dimension.axes)
                cuts_from_[axis] = true;
    }

    Exchange run() {
        if (holds_ >= 0)
            send();
        if (wants_ >= 0)
            receive();
        return std::move(result_);
    }

  private:
    /// Finds the ranks that have this rank as their holder: coordinates along axes that do not cut `from` agree modulo
    /// the size of the axis.
    void send() {
        std::vector<int> coordinates = from_mesh_.coordinates(holds_);
        const Box held = local_box(from_.placement, from_mesh_, holds_);
        send_along(0, coordinates, held);
        const auto by_peer = [](const Transfer &a, const Transfer &b) { return a.peer < b.peer; };
        std::sort(result_.sends.begin(), result_.sends.end(), by_peer);
    }

    void send_along(std::size_t axis, std::vector<int> &coordinates, const Box &held) {
        if (axis == coordinates.size())
            return add(Overlaps(to_.placement, to_mesh_, held, coordinates, cuts_from_).find(), to_.role,
                       result_.sends);
        if (cuts_from_[axis]) {
            const int own = std::exchange(coordinates[axis], 0); // all are looked at
            send_along(axis + 1, coordinates, held);
            coordinates[axis] = own;
            return;
        }
        const int own = coordinates[axis];
        for (; coordinates[axis] < to_mesh_.sizes[axis]; coordinates[axis] += from_mesh_.sizes[axis])
            send_along(axis + 1, coordinates, held);
        coordinates[axis] = own;
    }

    void receive() {
        std::vector<int> coordinates = to_mesh_.coordinates(wants_);
        for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
            coordinates[axis] %= from_mesh_.sizes[axis];
        const Box wanted = local_box(to_.placement, to_mesh_, wants_);
        add(Overlaps(from_.placement, from_mesh_, wanted, std::move(coordinates), cuts_from_).find(), from_.role,
            result_.receives);
    }

    /// Ranks within a role become ranks of the whole mesh; what stays here is kept.
    void add(std::vector<Transfer> found, const Role &role, std::vector<Transfer> &all) {
        for (Transfer &transfer : found) {
            transfer.peer = role.rank_of(whole_, transfer.peer);
            if (transfer.peer != rank_)
                all.push_back(std::move(transfer));
            else if (&all == &result_.receives)
                result_.kept.push_back(std::move(transfer.box));
        }
    }

    const RolePlacement &from_;
    const RolePlacement &to_;
    const Mesh &whole_;
    Mesh from_mesh_;
    Mesh to_mesh_;
    int rank_;
    int holds_; ///< this rank within the sending role; -1: it has another role
    int wants_; ///< this rank within the receiving role
    std::vector<bool> cuts_from_;
    Exchange result_;
};

} // namespace

Exchange exchange(const RolePlacement &from, const RolePlacement &to, const Mesh &mesh, int rank) {
    return RoleExchange(from, to, mesh, rank).run();
}

Traffic traffic(const RolePlacement &from, const RolePlacement &to, const Mesh &mesh, int rank) {
    Traffic result;
    for (const Transfer &send : exchange(from, to, mesh, rank).sends) {
        ++result.calls;
        result.elements += volume(send.box);
    }
    return result;
}

bool is_flat(const Placement &from, const Placement &to) {
    return !from.stored.empty() || !to.stored.empty();
}

/// The part of the longer list behind the shorter one; `otherwise` if they are equally long.
static std::vector<int> difference(std::span<const int> a, std::span<const int> b, std::span<const int> otherwise) {
    if (a.size() == b.size())
        return {otherwise.begin(), otherwise.end()};
    const std::span<const int> longer = a.size() > b.size() ? a : b;
    return {longer.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), longer.end()};
}

std::vector<int> block_axes(const Placement &from, const Placement &to, std::span<const int> axes) {
    const std::vector<int> given(axes.begin(), axes.end());
    if (is_flat(from, to))
        return difference(from.stored, to.stored, axes);
    std::vector<int> result;
    for (std::size_t d = 0; d < from.dimensions.size() && d < to.dimensions.size(); ++d) {
        if (from.dimensions[d].axes.size() == to.dimensions[d].axes.size())
            continue;
        if (!result.empty()) // several dimensions: packed in any order
            return given;
        result = difference(from.dimensions[d].axes, to.dimensions[d].axes, axes);
    }
    return result.size() == axes.size() ? result : given;
}

Traffic traffic(CollectiveKind kind, const Placement &from, const Placement &to, const Mesh &mesh, int rank) {
    switch (kind) {
    case CollectiveKind::slice:
        return {};
    case CollectiveKind::all_gather:
        return {1, local_volume(to, mesh, rank)};
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_reduce:
        return {1, local_volume(from, mesh, rank)};
    case CollectiveKind::all_to_all:
    case CollectiveKind::exchange: {
        Traffic result;
        for (const Transfer &send : exchange(from, to, mesh, rank).sends) {
            ++result.calls;
            result.elements += volume(send.box);
        }
        if (kind == CollectiveKind::all_to_all)
            result.calls = 1;
        return result;
    }
    }
    return {};
}

} // namespace planrt
