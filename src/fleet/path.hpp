// Path: what each cluster of a rollout passes one after the other: policies to comply with, or manifest works
// to carry out. Pure; a look at immutable tables that it does not own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/observed.hpp"

namespace fairway::fleet {

class Path {
 public:
  // `status` says which policies; the rollout which works.
  Path(const Observed& seen, const ClusterGroupUpgradeStatus& status);
  Path() = default;

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t step) const { return names_[step]; }
  bool is_of_works() const { return is_of_works_; }

  // A policy that is gone is one that nobody complies with, as is a work that is not there.
  Compliance on(std::size_t step, std::string_view cluster) const;
  std::optional<Duration> soak(std::size_t step) const;
  // Whether anything of it is left to do there. Works are always carried out.
  bool needs_work(std::string_view cluster) const;

  // Of a cluster on its way: how far it is.
  std::optional<std::int64_t>& index(ClusterProgress& at) const {
    return is_of_works_ ? at.manifest_work_index : at.policy_index;
  }
  std::int64_t index(const ClusterProgress& at) const {
    return (is_of_works_ ? at.manifest_work_index : at.policy_index).value_or(0);
  }
  // Of one whose time is over; nothing for any other.
  std::optional<std::int64_t> index_of_late(const ClusterRow& row) const;
  // So its row says where it stands.
  void put_place(ClusterRow& row, std::int64_t index) const;

 private:
  bool is_of_works_ = false;
  std::vector<std::string> names_;
  std::vector<const PolicyView*> policies_;
  // By step: the works that are there, by cluster.
  std::vector<std::map<std::string, const json::Object*, std::less<>>> works_;
};

// What is told of a rollout of either kind.
struct RolloutWords {
  std::string_view in_progress;
  std::string_view completed;
  std::string_view too_long;
};
const RolloutWords& words_of(const ClusterGroupUpgradeSpec& spec);

}  // namespace fairway::fleet
