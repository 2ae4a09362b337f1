#include "apiserver/table.hpp"

#include <fmt/format.h>

#include "apiserver/events_view.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

std::string meta_api(std::string_view version) {
  return fmt::format("meta.k8s.io/{}", version);
}

// kubectl and clients that watch tables tell a pod that is over by this.
std::optional<Array> completed_condition(const Object& object) {
  const std::string_view phase = json::get_string(object, {"status", "phase"}).value_or("");
  if (phase != "Succeeded" && phase != "Failed") return std::nullopt;
  return Array{
      Object{{"type", "Completed"},
             {"status", "True"},
             {"reason", phase},
             {"message", phase == "Failed" ? "The pod failed." : "The pod has completed successfully."}}};
}

}  // namespace

std::optional<IncludeObject> parse_include_object(std::string_view text) {
  if (text.empty() || text == "Metadata") return IncludeObject::Metadata;
  if (text == "None") return IncludeObject::None;
  if (text == "Object") return IncludeObject::Object;
  return std::nullopt;
}

json::Object ListMetadata::to_object() const {
  Object out;
  if (!resource_version.empty()) out["resourceVersion"] = resource_version;
  if (!continue_token.empty()) out["continue"] = continue_token;
  if (remaining_items) out["remainingItemCount"] = *remaining_items;
  return out;
}

TableMaker::TableMaker(const Resource& resource, const ServedVersion& version, TableOptions options)
    : options_(std::move(options)),
      is_pods_(resource.group.empty() && resource.plural == "pods"),
      is_events_view_(is_events_view(resource)) {
  for (const PrinterColumn& column : version.columns) {
    Cell cell = resource.is_custom ? custom_cell : plain_cell;
    if (!column.cell.empty()) cell = find_cell(column.cell);
    FAIRWAY_CHECK(cell, fmt::format("no cell is called {}", column.cell));
    columns_.push_back({&column, cell});
  }
}

json::Array TableMaker::column_definitions() const {
  Array out;
  for (const Column& column : columns_) {
    out.push_back(Object{{"name", column.source->name},
                         {"type", column.source->type},
                         {"format", column.source->format},
                         {"description", column.source->description},
                         {"priority", column.source->priority}});
  }
  return out;
}

json::Object TableMaker::row(json::Object object) const {
  Value document(std::move(object));
  const Value core = is_events_view_ ? Value(from_events_view(document.get_object())) : Value();
  const Value& shown = is_events_view_ ? core : document;
  Array cells;
  cells.reserve(columns_.size());
  for (const Column& column : columns_) cells.push_back(column.cell({shown, *column.source, options_.now}));
  Object row{{"cells", std::move(cells)}};
  if (is_pods_) {
    if (auto conditions = completed_condition(document.get_object()))
      row["conditions"] = *std::move(conditions);
  }
  switch (options_.include_object) {
    case IncludeObject::None:
      row["object"] = nullptr;
      break;
    case IncludeObject::Metadata:
      row["object"] = partial_metadata(document.get_object(), options_.meta_version);
      break;
    case IncludeObject::Object:
      row["object"] = std::move(document);
      break;
  }
  return row;
}

json::Object TableMaker::table(json::Array rows, const ListMetadata& metadata, bool with_columns) const {
  Object out{
      {"kind", "Table"}, {"apiVersion", meta_api(options_.meta_version)}, {"metadata", metadata.to_object()}};
  out["columnDefinitions"] = with_columns ? Value(column_definitions()) : Value(nullptr);
  out["rows"] = std::move(rows);
  return out;
}

json::Object TableMaker::table_of(json::Object object, bool with_columns) const {
  const ListMetadata metadata{.resource_version = std::string(
                                  json::get_string(object, {"metadata", "resourceVersion"}).value_or(""))};
  Array rows;
  rows.push_back(row(std::move(object)));
  return table(std::move(rows), metadata, with_columns);
}

json::Object partial_metadata(const json::Object& object, std::string_view meta_version) {
  const Object* metadata = json::get_object(object, {"metadata"});
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", meta_api(meta_version)},
          {"metadata", metadata ? *metadata : Object{}}};
}

json::Object partial_metadata_list(json::Array items, const ListMetadata& metadata,
                                   std::string_view meta_version) {
  Object out{{"kind", "PartialObjectMetadataList"},
             {"apiVersion", meta_api(meta_version)},
             {"metadata", metadata.to_object()}};
  out["items"] = std::move(items);
  return out;
}

}  // namespace fairway::apiserver
