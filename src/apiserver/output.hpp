// Output: the form that a client wants its answer in, and objects put into that form.
//
// The stored text of an object is sent as it is when the client wants JSON in the storage version, which is
// the common case: lists and watch events are then put together from shared texts, without parsing anything.
#pragma once

#include <string>
#include <vector>

#include "apiserver/api_error.hpp"
#include "apiserver/catalog.hpp"
#include "apiserver/table.hpp"
#include "base/clock.hpp"
#include "base/shared_text.hpp"
#include "http/message.hpp"
#include "store/types.hpp"

namespace fairway::apiserver {

struct OutputForm {
  enum class Kind { Object, Table, PartialMetadata };
  enum class Encoding { Json, Yaml };

  Kind kind = Kind::Object;
  Encoding encoding = Encoding::Json;
  std::string meta_version = "v1";  // of Table and PartialObjectMetadata: v1 or v1beta1
  IncludeObject include_object = IncludeObject::Metadata;
  bool pretty = false;

  bool is_plain() const { return kind == Kind::Object && encoding == Encoding::Json && !pretty; }
  std::string content_type() const;
  static ApiResult<OutputForm> negotiate(const http::Headers& headers, const http::Query& query);
};

struct ListHead {
  store::Revision revision = 0;
  std::string continue_token = {};
  std::optional<std::uint64_t> remaining = {};
};

class Presenter {
 public:
  Presenter(const Resource& resource, const ServedVersion& version, OutputForm form, WallTime now,
            store::Revision schema_since = 0);

  // As the client's version has it.
  json::Object object(const Text& stored) const;

  http::Response one(int status, const store::Entry& entry) const;
  // Of an object that was written just now.
  http::Response one(int status, const Text& stored) const;
  http::Response list(const ListHead& head, const std::vector<store::EntryPtr>& entries) const;
  // A line of a watch; `first` is the first of the stream (tables describe their columns once).
  http::Body event(std::string_view type, const store::Entry& entry, bool first) const;
  http::Body event(std::string_view type, const Text& stored, bool first) const;
  http::Body bookmark(store::Revision revision, bool ends_initial_events, bool first) const;

  const OutputForm& form() const { return form_; }

 private:
  bool is_verbatim(const store::Entry& entry) const {
    return is_verbatim_ && entry.revision >= schema_since_;
  }
  http::Response send(int status, const Text& text) const;
  http::Response encode(int status, const json::Value& value) const;
  http::Response encode(int status, const Text& stored) const;
  json::Object shaped(const json::Object& object, bool with_columns) const;
  Text shaped_text(const Text& stored, bool with_columns) const;

  const Resource& resource_;
  const ServedVersion& version_;
  OutputForm form_;
  WallTime now_;
  store::Revision schema_since_;
  bool is_verbatim_;      // stored texts can be sent untouched, unless they are older than the schema
  bool is_metadata_cut_;  // metadata can be sent as it stands in a stored text
};

http::Body error_event(const ApiError& error);

}  // namespace fairway::apiserver
