// Selection: which objects of a resource a list or a watch is about.
#pragma once

#include <optional>
#include <string>

#include "apiserver/api_error.hpp"
#include "apiserver/catalog.hpp"
#include "http/message.hpp"
#include "kube/core/selector.hpp"
#include "store/types.hpp"

namespace fairway::apiserver {

class Selection {
 public:
  // From labelSelector and fieldSelector; fields that the kind cannot be selected by are refused.
  static ApiResult<Selection> parse(const Resource& resource, const ServedVersion& version,
                                    const http::Query& query);

  bool matches(const store::Entry& entry) const;
  bool is_everything() const { return labels_.is_everything() && fields_.is_everything(); }
  // Only this namespace or this name; set from the URL.
  void restrict_to(std::optional<std::string> ns, std::optional<std::string> name);
  const std::optional<std::string>& ns() const { return ns_; }
  // Whether a limit counts what is found, so that what remains is unknown.
  bool filters() const { return !is_everything() || name_.has_value(); }

 private:
  bool matches_labels(const store::Labels& labels) const;
  bool matches_fields(const store::Entry& entry) const;

  kube::Selector labels_;
  kube::FieldSelector fields_;
  bool needs_object_ = false;  // some field is not part of the key
  std::optional<std::string> ns_;
  std::optional<std::string> name_;
};

}  // namespace fairway::apiserver
