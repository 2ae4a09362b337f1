#include "kube/runtime/testing/scripted_api.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/patch.hpp"
#include "kube/core/status.hpp"

namespace fairway::kube::testing {

// What a request's path and query name.
struct ScriptedApi::Asked {
  GroupVersionResource type;
  ObjectKey key;  // without a name: the collection
  http::Query query;

  static std::optional<Asked> parse(const http::ClientRequest& request) {
    const auto target = http::Target::parse(request.url.path);
    if (!target) return std::nullopt;
    auto parts = split(std::string_view(target->path).substr(1), '/');
    Asked asked{.query = target->query};
    std::size_t at = 0;
    const auto take = [&] { return at < parts.size() ? std::string(parts[at++]) : std::string(); };
    if (take() == "apis") asked.type.group = take();
    asked.type.version = take();
    if (at + 2 < parts.size() && parts[at] == "namespaces") {
      take();
      asked.key.namespace_ = take();
    }
    asked.type.resource = take();
    asked.key.name = take();
    return asked;
  }
  std::uint64_t number(std::string_view name) const {
    return parse_unsigned(query.get(name).value_or("")).value_or(0);
  }
};

namespace {

http::Response refusal(const Status& status) {
  return json_response(status.code, json::serialize(status.to_object()));
}

http::Response shown(int code, const json::Object& object) {
  return json_response(code, json::serialize(object));
}

}  // namespace

ScriptedApi::ScriptedApi(TimerClock& clock, std::uint64_t seed)
    : clock_(clock),
      random_(seed),
      transport_(std::make_shared<ScriptedTransport>(
          clock, [this](const http::ClientRequest& request) { return answer(request); },
          [this](const http::ClientRequest& request) { return open(request); })) {}

void ScriptedApi::put(const GroupVersionResource& type, json::Object object) {
  const bool is_new = !objects_.contains({type, key_of(object)});
  store(type, std::move(object), is_new ? WatchEvent::Type::Added : WatchEvent::Type::Modified);
}

void ScriptedApi::remove(const GroupVersionResource& type, const ObjectKey& key) {
  auto gone = objects_.extract({type, key});
  if (gone.empty()) return;
  json::ensure_object(gone.mapped().object, {"metadata"})["resourceVersion"] = std::to_string(++version_);
  announce(type, WatchEvent::Type::Deleted, gone.mapped().object);
}

std::optional<json::Object> ScriptedApi::get(const GroupVersionResource& type, const ObjectKey& key) const {
  const auto found = objects_.find({type, key});
  return found == objects_.end() ? std::nullopt : std::optional(found->second.object);
}

std::vector<json::Object> ScriptedApi::all(const GroupVersionResource& type) const {
  std::vector<json::Object> found;
  for (const auto& [key, stored] : objects_) {
    if (key.first == type) found.push_back(stored.object);
  }
  return found;
}

http::Response ScriptedApi::store(const GroupVersionResource& type, json::Object object,
                                  WatchEvent::Type event) {
  const ObjectKey key = key_of(object);
  Stored& stored = objects_[{type, key}];
  json::Object& metadata = json::ensure_object(object, {"metadata"});
  metadata["resourceVersion"] = std::to_string(++version_);
  metadata["uid"] =
      event == WatchEvent::Type::Added ? fmt::format("uid-{}", ++uids_) : std::string(uid_of(stored.object));
  stored = {object, version_};
  announce(type, event, object);
  return shown(event == WatchEvent::Type::Added ? 201 : 200, object);
}

void ScriptedApi::announce(const GroupVersionResource& type, WatchEvent::Type event,
                           const json::Object& object) {
  history_.push_back({version_, type, event, object});
  std::erase_if(watches_, [](const Watch& watch) { return watch.stream->is_closed(); });
  for (Watch& watch : watches_) {
    if (watch.type == type) deliver(watch, event, object);
  }
}

void ScriptedApi::deliver(Watch& watch, WatchEvent::Type event, const json::Object& object) {
  if (!watch.ns.empty() && namespace_of(object) != watch.ns) return;
  const std::string line = encode_watch_event(event, json::serialize(object));
  const std::size_t middle = 1 + random_.below(line.size() - 1);
  if (happens(faults.cut)) {
    ++counts.cuts;
    watch.stream->push(line.substr(0, middle));
    watch.stream->cut({ErrorCode::Unavailable, "the connection was cut in the middle of an event"});
  } else if (happens(faults.chopped)) {
    watch.stream->push(line.substr(0, middle));
    watch.stream->push(line.substr(middle));
  } else {
    watch.stream->push(line);
  }
}

void ScriptedApi::send_bookmarks() {
  const std::string line = encode_watch_event(
      WatchEvent::Type::Bookmark, fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}}}})", version_));
  for (Watch& watch : watches_) watch.stream->push(line);
}

void ScriptedApi::cut_all_watches() {
  for (Watch& watch : watches_) watch.stream->cut({ErrorCode::Unavailable, "the server goes away"});
  watches_.clear();
}

Result<http::Response> ScriptedApi::answer(const http::ClientRequest& request) {
  const auto asked = Asked::parse(request);
  if (!asked) return refusal(status_bad_request("no such path"));
  if (happens(faults.overloaded)) {
    auto busy = refusal(status_too_many_requests("overloaded", std::chrono::seconds(1)));
    busy.headers.add("Retry-After", "1");
    return busy;
  }
  if (happens(faults.failing)) {
    ++counts.failures;
    // The client cannot know whether it was carried out.
    if (random_.below(2) == 0) carry_out(request, *asked);
    return fail(ErrorCode::Unavailable, "the connection was lost");
  }
  return carry_out(request, *asked);
}

http::Response ScriptedApi::carry_out(const http::ClientRequest& request, const Asked& asked) {
  if (request.method != "GET") return write(request, asked);
  if (asked.key.name.empty()) return list(asked);
  const auto object = get(asked.type, asked.key);
  return object ? shown(200, *object)
                : refusal(status_not_found(asked.type.group_resource(), asked.key.name));
}

http::Response ScriptedApi::list(const Asked& asked) {
  ++counts.lists;
  const std::size_t limit = asked.number("limit");
  // A token is the version of the first page and the last key of the page before.
  std::uint64_t version = version_;
  std::string after;
  if (const auto token = asked.query.get("continue")) {
    const auto parts = split(*token, '|');
    version = parse_unsigned(parts[0]).value_or(0);
    after = parts.back();
    if (version < oldest_ || happens(faults.forgetting)) {
      ++counts.gone;
      return refusal(status_expired("the continue token is too old"));
    }
  }
  json::Array items;
  std::string last;
  bool has_more = false;
  for (const auto& [key, stored] : objects_) {
    if (key.first != asked.type || stored.version > version) continue;
    if (!asked.key.namespace_.empty() && key.second.namespace_ != asked.key.namespace_) continue;
    if (!after.empty() && key.second.to_string() <= after) continue;
    if (limit > 0 && items.size() == limit) {
      has_more = true;
      break;
    }
    items.emplace_back(stored.object);
    last = key.second.to_string();
  }
  // Objects changed since the first page would be missing from a page of the past: such a list expires.
  const bool is_stale = version != version_ && (has_more || !after.empty());
  if (is_stale) {
    ++counts.gone;
    return refusal(status_expired("the list is no longer available"));
  }
  json::Object metadata{{"resourceVersion", std::to_string(version)}};
  if (has_more) metadata["continue"] = fmt::format("{}|{}", version, last);
  return shown(200, {{"kind", "List"},
                     {"apiVersion", "v1"},
                     {"metadata", std::move(metadata)},
                     {"items", std::move(items)}});
}

http::Response ScriptedApi::write(const http::ClientRequest& request, const Asked& asked) {
  ++counts.writes;
  const GroupResource resource = asked.type.group_resource();
  auto body = json::parse_object(request.body.empty() ? "{}" : request.body);
  if (!body) return refusal(status_bad_request("no JSON"));
  if (request.method == "POST") {
    json::Object& metadata = json::ensure_object(*body, {"metadata"});
    if (!asked.key.namespace_.empty()) metadata["namespace"] = asked.key.namespace_;
    if (get(asked.type, key_of(*body))) return refusal(status_already_exists(resource, name_of(*body)));
    return store(asked.type, *std::move(body), WatchEvent::Type::Added);
  }
  const auto existing = get(asked.type, asked.key);
  const bool is_apply = request.headers.find("content-type") == media_type(PatchKind::Apply);
  if (!existing && is_apply) return store(asked.type, *std::move(body), WatchEvent::Type::Added);
  if (!existing) return refusal(status_not_found(resource, asked.key.name));
  if (request.method == "DELETE") {
    remove(asked.type, asked.key);
    return shown(200, status_success().to_object());
  }
  const auto given = resource_version_of(*body);
  if (!given.empty() && given != resource_version_of(*existing))
    return refusal(status_modified(resource, asked.key.name));
  if (request.method == "PATCH") return patch(asked, *body);
  return store(asked.type, *std::move(body), WatchEvent::Type::Modified);
}

// Merge patches; an apply patch is merged too, which is enough for one manager.
http::Response ScriptedApi::patch(const Asked& asked, const json::Object& change) {
  json::Value merged = *get(asked.type, asked.key);
  json::apply_merge_patch(merged, change);
  return store(asked.type, merged.get_object(), WatchEvent::Type::Modified);
}

Result<std::unique_ptr<http::ResponseStream>> ScriptedApi::open(const http::ClientRequest& request) {
  ++counts.watches;
  const auto asked = Asked::parse(request);
  if (!asked) return fail(ErrorCode::Unavailable, "no such path");
  if (happens(faults.failing)) {
    ++counts.failures;
    return fail(ErrorCode::Unavailable, "the connection was lost");
  }
  auto stream = std::make_shared<StreamScript>();
  const std::uint64_t from = asked->number("resourceVersion");
  if (from < oldest_ || happens(faults.forgetting)) {
    ++counts.gone;
    const std::string expired = json::serialize(status_expired("too old resource version").to_object());
    const bool as_event = random_.below(2) == 0;
    stream->push(as_event ? R"({"type":"ERROR","object":)" + expired + "}\n" : expired);
    stream->end();
    return std::make_unique<ScriptedStream>(clock_, as_event ? 200 : 410, http::Headers{}, stream);
  }
  Watch watch{asked->type, asked->key.namespace_, stream};
  for (const Past& past : history_) {
    if (past.version > from && past.type == asked->type) deliver(watch, past.event, past.object);
  }
  watches_.push_back(watch);
  return std::make_unique<ScriptedStream>(clock_, 200, http::Headers{}, stream);
}

}  // namespace fairway::kube::testing
