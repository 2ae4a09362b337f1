// Tables: how objects are shown to `kubectl get`, as meta.k8s.io Tables and as metadata alone.
//
// A TableMaker knows the columns of one resource in one version; it turns objects, given in that version,
// into rows and rows into a Table. Ages are relative to the given time. All is pure; a maker may be shared by
// threads and must not outlive its resource.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/catalog.hpp"
#include "apiserver/cells.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

// How much of the object each row carries.
enum class IncludeObject { None, Metadata, Object };

// The value of the query parameter includeObject; none when it is not one of the three.
std::optional<IncludeObject> parse_include_object(std::string_view text);

// metadata of a list: where it was read and whether there is more.
struct ListMetadata {
  std::string resource_version = {};
  std::string continue_token = {};
  std::optional<std::uint64_t> remaining_items = {};

  json::Object to_object() const;
};

struct TableOptions {
  std::string meta_version = "v1";  // or v1beta1
  IncludeObject include_object = IncludeObject::Metadata;
  WallTime now = {};
};

class TableMaker {
 public:
  TableMaker(const Resource& resource, const ServedVersion& version, TableOptions options);

  json::Array column_definitions() const;
  json::Object row(json::Object object) const;
  // A watch describes the columns in its first event only; later tables have null there.
  json::Object table(json::Array rows, const ListMetadata& metadata, bool with_columns = true) const;
  // Of one object: an answer to a get, or an event of a watch.
  json::Object table_of(json::Object object, bool with_columns = true) const;

 private:
  struct Column {
    const PrinterColumn* source;
    Cell cell;
  };

  TableOptions options_;
  std::vector<Column> columns_;
  bool is_pods_;
  bool is_events_view_;
};

// meta.k8s.io PartialObjectMetadata: who the object is, without what it says.
json::Object partial_metadata(const json::Object& object, std::string_view meta_version = "v1");
json::Object partial_metadata_list(json::Array items, const ListMetadata& metadata,
                                   std::string_view meta_version = "v1");

}  // namespace fairway::apiserver
