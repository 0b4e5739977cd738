// A lower bound on the time to bring a tensor from one placement to another by any route.
//
// Every step except a slice is priced at no less than beta per element that a rank receives on average, with the beta
// of the machine's fastest link (collectives.h): an all-gather of n as (P-1)/P n, an exchange or all-to-all as what
// leaves the busiest rank, a reduce-scatter of n as (P-1)/P n, an all-reduce as twice that. So it suffices to count
// arriving elements. Measured collectives take n times their own beta, for any P up to the P measured: beta is the
// least of the links' and, per arriving element, of theirs.
//
//   no sums are reduced
//       A rank needs |to|. It already has at most the product over dimensions of the shorter block (in one dimension:
//       of the average overlap of blocks). It has at most its shard.
//   sums over R are reduced
//       Each element is the sum of R addends, of which R - 1 travel. Where it is summed it is there for free; all other
//       places that need it receive it. With E elements in the tensor (in each of the tensors of partial sums that
//       stay) this is E (R - 1) + (sum over ranks of |to|) - E elements.
//   addends of the rows that ranks touch are summed
//       There are R replicas of each addend. An element of k addends that m ranks need travels k - 1 times, and once to
//       each of m - R ranks. The k of all elements are 1/R of what ranks have; at most E elements have addends at all.
//   the same as sums over R, in one reshard
//       Sums are reduced before blocks move. With V elements in a rank's part, cut further by what splits `to`,
//       (1 - 1/R) V arrive in a reduce-scatter, or twice that in an all-reduce. Then |to| arrives, less what the rank
//       has of it in its part of the sums.
//   an axis splits another dimension, in one reshard
//       Either blocks move, in messages no larger than the overlap of two blocks. Or what the axis split is gathered
//       first.
//
// Messages are counted by axis, in addition. A collective over several axes has at least as many as one over each axis
// in turn: (size - 1) for a ring and lg(size) for anything else. An axis that splits a dimension which is needed whole,
// and nothing else there, takes part in an all-gather (or in an exchange with as many messages). So does an axis of
// shards that splits nothing there. An axis of reduced sums takes part in a reduction, and in an all-gather too if the
// sums are needed everywhere, or in an all-reduce for both. A measured latency of P ranks counts as lg(P) messages.
#pragma once

#include "cost/machine.h"
#include "plan/transfers/placed_volume.h"
#include "support/sparse_row.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

namespace planc::plan {

/// For one reshard, in which blocks move to other ranks or are gathered.
struct DirectBound {
    double moving = 0; ///< elements that arrive
    double moving_latency = 0;
    double gathering = 0; ///< elements that arrive
    double gathering_latency = 0;
};

class TransferBounds {
  public:
    /// The mesh must outlive this.
    TransferBounds(const sharding::Mesh &mesh, const cost::Machine &machine);

    /// For placements of one shape, by number: the quantities of which a lower bound of the price of any route
    /// consists, computed once for each pair.
    class OfShape {
        /// Seconds by the numbers of two placements; negative: not computed yet. Most of the memory of a search is such
        /// rows, so they are in single precision, rounded down.
        using Row = support::SparseRow<float, -1.0F>;

      public:
        OfShape(const TransferBounds &bounds, const sharding::Reshards &reshards)
            : bounds_(bounds), volumes_(bounds.mesh_, reshards) {}
        /// `latency`: includes that of the messages. Also valid for routes through other placements, since copies are
        /// made from copies.
        cost::Seconds seconds(int from, int to, int element_bytes, bool latency) {
            float &least = by_any_.of(element_bytes, latency).row(from).at(to);
            if (least < 0)
                least = found(from, to, element_bytes, latency);
            return cost::Seconds(least);
        }
        /// For one reshard.
        cost::Seconds directly(int from, int to, int element_bytes, bool latency) {
            float &least = by_one_.of(element_bytes, latency).row(from).at(to);
            if (least < 0)
                least = found_directly(from, to, element_bytes, latency);
            return cost::Seconds(least);
        }
        /// seconds() and directly() from one placement to many. Valid until another placement is requested.
        class From {
          public:
            From(OfShape &shape, bool any_route, int from, int element_bytes)
                : shape_(shape), any_route_(any_route), from_(from), element_bytes_(element_bytes),
                  rows_{&shape.row(any_route, from, element_bytes, false),
                        &shape.row(any_route, from, element_bytes, true)} {}
            double operator()(int to, bool latency) {
                float &least = rows_[latency ? 1 : 0]->at(to);
                if (least < 0)
                    least = any_route_ ? shape_.found(from_, to, element_bytes_, latency)
                                       : shape_.found_directly(from_, to, element_bytes_, latency);
                return least;
            }

          private:
            OfShape &shape_;
            bool any_route_;
            int from_;
            int element_bytes_;
            std::array<Row *, 2> rows_; ///< without and with latency
        };
        /// Whether a route exists. Only operations make partial sums, and ranges that windows touch are no source,
        /// unless they have addends.
        bool possible(int from, int to);

      private:
        class Pairs {
          public:
            Row &row(int from) {
                const auto place = static_cast<std::size_t>(from);
                if (place >= rows_.size())
                    rows_.resize(2 * place + 1);
                return rows_[place];
            }

          private:
            std::vector<Row> rows_;
        };
        /// By bytes per element, with and without latency; one or two of these occur.
        class Tables {
          public:
            Pairs &of(int element_bytes, bool latency) {
                for (Table &table : tables_)
                    if (table.element_bytes == element_bytes && table.latency == latency)
                        return table.pairs;
                return tables_.emplace_back(Table{element_bytes, latency, {}}).pairs;
            }

          private:
            struct Table {
                int element_bytes = 0;
                bool latency = false;
                Pairs pairs;
            };
            std::list<Table> tables_; ///< references stay valid
        };
        Row &row(bool any_route, int from, int element_bytes, bool latency) {
            return (any_route ? by_any_ : by_one_).of(element_bytes, latency).row(from);
        }
        [[nodiscard]] float found(int from, int to, int element_bytes, bool latency);
        [[nodiscard]] float found_directly(int from, int to, int element_bytes, bool latency);
        [[nodiscard]] double seconds(double elements, double latency, int element_bytes) const {
            return elements * element_bytes / bounds_.bytes_per_second_ + latency;
        }

        const TransferBounds &bounds_;
        PlacedVolumes volumes_;
        Tables by_any_;
        Tables by_one_;
    };
    OfShape &of(const sharding::Reshards &reshards) {
        return shapes_.try_emplace(&reshards, *this, reshards).first->second;
    }
    /// Frees memory; whatever is requested again is computed again.
    void forget() { shapes_.clear(); }

  private:
    [[nodiscard]] double arriving(const PlacedVolume &from, const PlacedVolume &to, const PlacedPair &pair) const;
    [[nodiscard]] double arriving_addends(const PlacedVolume &from, const PlacedVolume &to) const;
    [[nodiscard]] DirectBound directly(const PlacedVolume &from, const PlacedVolume &to, const PlacedPair &pair) const;
    [[nodiscard]] double arriving_by_steps(const PlacedVolume &from, const PlacedVolume &to) const;
    [[nodiscard]] double arriving_by_route(const PlacedVolume &from, const PlacedVolume &to, std::uint32_t sliced,
                                           std::uint32_t scattered) const;
    /// The number of ranks along a set of axes.
    [[nodiscard]] double size(std::uint32_t axes) const {
        return axes < size_of_.size() ? size_of_[axes] : multiplied(axes);
    }
    [[nodiscard]] double multiplied(std::uint32_t axes) const;
    [[nodiscard]] double latencies(const PlacedVolume &from, const PlacedVolume &to, const PlacedPair &pair) const;

    const sharding::Mesh &mesh_;
    double ranks_;
    double bytes_per_second_;            ///< of the fastest link
    double message_seconds_ = 0;         ///< of a message between two ranks; 0 if MPI's calls were measured
    std::vector<double> size_of_;        ///< per set of the first axes
    std::vector<double> gather_seconds_; ///< per axis: the least latency of an all-gather or reduce-scatter
    std::vector<double> reduce_seconds_; ///< of an all-reduce
    std::map<const sharding::Reshards *, OfShape> shapes_;
};

} // namespace planc::plan
