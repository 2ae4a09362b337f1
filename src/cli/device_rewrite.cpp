#include "cli/device_rewrite.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "async/notify.hpp"
#include "async/task_group.hpp"
#include "base/text.hpp"
#include "kube/client/discovery.hpp"
#include "kube/core/object.hpp"

namespace fairway::cli {
namespace {

using kube::ResourceType;

constexpr int kWorkers = 16;
constexpr int kMaxConflicts = 20;
constexpr int kMaxRestarts = 3;
constexpr Duration kPause = std::chrono::milliseconds(50);
constexpr const char* kManager = "fairway-device";

const ResourceType kDefinitions{.kind = {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
                                .resource = "customresourcedefinitions",
                                .is_namespaced = false};

// What a definition says of its versions.
struct Versions {
  std::string stored = {};  // the one that objects are written in
  std::string served = {};  // the one to ask for: the stored one if it is served
  bool has_older = false;   // objects may still be stored in another
};

Versions versions_of(const json::Object& definition) {
  Versions found;
  const json::Array* list = json::get_array(definition, {"spec", "versions"});
  for (const json::Value& item : list == nullptr ? json::Array() : *list) {
    if (!item.is_object()) continue;
    const json::Object& version = item.get_object();
    const std::string name(json::get_string(version, {"name"}).value_or(""));
    const bool is_stored = json::get_bool(version, {"storage"}).value_or(false);
    const bool is_served = json::get_bool(version, {"served"}).value_or(false);
    if (is_stored) found.stored = name;
    if (is_served && (is_stored || found.served.empty())) found.served = name;
  }
  const json::Array* stored = json::get_array(definition, {"status", "storedVersions"});
  for (const json::Value& item : stored == nullptr ? json::Array() : *stored)
    if (!item.is_string() || json::view(item.get_string()) != found.stored) found.has_older = true;
  return found;
}

bool is_established(const json::Object& definition) {
  const json::Array* conditions = json::get_array(definition, {"status", "conditions"});
  return conditions != nullptr && std::ranges::any_of(*conditions, [](const json::Value& each) {
           return each.is_object() && json::get_string(each.get_object(), {"type"}) == "Established" &&
                  json::get_string(each.get_object(), {"status"}) == "True";
         });
}

// Whether the server could not answer, rather than would not take one object.
bool ends_everything(ErrorCode code) {
  return retry_of(code) == Retry::Backoff || code == ErrorCode::Cancelled || code == ErrorCode::Forbidden;
}

}  // namespace

Task<void> DeviceRewrite::run() {
  FAIRWAY_CO_CHECKED(co_await apply_definitions());
  FAIRWAY_CO_TRY(const std::vector<Target> all, co_await targets());
  // What is built in has no mark of its own that it is done; only its place in the order tells.
  const auto at = std::ranges::find(all, request_.from.resource, &Target::name);
  for (auto target = all.begin(); target != all.end(); ++target) {
    if (at != all.end() && target < at && target->storage_version.empty()) continue;
    if (auto done = co_await rewrite(*target); !done)
      co_return std::unexpected(std::move(done).error().within(target->name));
  }
  co_return Result<void>{};
}

Task<void> DeviceRewrite::apply_definitions() {
  for (const json::Object& definition : request_.definitions) {
    const std::string name(kube::name_of(definition));
    if (json::get_string(definition, {"kind"}) != kDefinitions.kind.kind)
      co_return fail(ErrorCode::Invalid,
                     fmt::format("definitions: expected a CustomResourceDefinition, found {}", quoted(name)));
    FAIRWAY_CO_CHECKED(co_await client_.apply(kDefinitions.in("", name), definition,
                                              {.field_manager = kManager, .force = true}));
    FAIRWAY_CO_CHECKED(co_await wait_for(name));
  }
  co_return Result<void>{};
}

Task<void> DeviceRewrite::wait_for(std::string definition) {
  const SteadyTime until = client_.clock().steady() + request_.wait;
  while (true) {
    FAIRWAY_CO_TRY(const json::Object found, co_await client_.get(kDefinitions.in("", definition)));
    if (is_established(found)) co_return Result<void>{};
    if (client_.clock().steady() >= until)
      co_return fail(ErrorCode::Timeout, fmt::format("the server has not established {} within {}",
                                                     quoted(definition), format_duration(request_.wait)));
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(client_.clock(), kPause));
  }
}

Task<std::vector<DeviceRewrite::Target>> DeviceRewrite::targets() {
  FAIRWAY_CO_TRY(const kube::ObjectList list, co_await client_.list_all(kDefinitions.in("")));
  std::vector<Target> defined;
  for (const json::Object& definition : list.items) {
    const Versions versions = versions_of(definition);
    const std::string name(kube::name_of(definition));
    const bool is_wanted = request_.resources.empty()
                               ? versions.has_older
                               : std::ranges::find(request_.resources, name) != request_.resources.end();
    if (!is_wanted) continue;
    if (versions.served.empty())
      co_return fail(
          ErrorCode::Unsupported,
          fmt::format("no version of {} is served, so its objects cannot be reached", quoted(name)));
    const auto text = [&](std::initializer_list<std::string_view> path) {
      return std::string(json::get_string(definition, path).value_or(""));
    };
    defined.push_back({name,
                       {.kind = {text({"spec", "group"}), versions.served, text({"spec", "names", "kind"})},
                        .resource = text({"spec", "names", "plural"}),
                        .is_namespaced = text({"spec", "scope"}) == "Namespaced"},
                       versions.stored});
  }
  std::ranges::sort(defined, {}, &Target::name);
  if (request_.resources.empty()) co_return defined;
  std::vector<Target> ordered;
  for (const std::string& name : request_.resources) {
    const auto found = std::ranges::find(defined, name, &Target::name);
    if (found != defined.end()) {
      ordered.push_back(*found);
    } else {
      FAIRWAY_CO_TRY(Target target, co_await find_built_in(name));
      ordered.push_back(std::move(target));
    }
  }
  co_return ordered;
}

// deployments.apps in the version that the server prefers; configmaps of the core group.
Task<DeviceRewrite::Target> DeviceRewrite::find_built_in(std::string name) {
  const auto dot = name.find('.');
  const std::string plural = name.substr(0, dot);
  kube::GroupVersion place{dot == std::string::npos ? "" : name.substr(dot + 1), "v1"};
  if (!place.group.empty()) {
    FAIRWAY_CO_TRY(const json::Object group,
                   co_await client_.call({.method = "GET", .path_and_query = "/apis/" + place.group}));
    place.version = std::string(json::get_string(group, {"preferredVersion", "version"}).value_or("v1"));
  }
  FAIRWAY_CO_TRY(const auto resources, co_await client_.discovery().resources(place));
  const auto found = std::ranges::find(resources, plural, &ResourceType::resource);
  if (found == resources.end())
    co_return fail(ErrorCode::NotFound, fmt::format("the server has no resource {}", quoted(name)));
  co_return Target{std::move(name), *found};
}

Task<kube::ObjectList> DeviceRewrite::list(const Target& target, std::string token, SteadyTime until) {
  while (true) {
    auto page = co_await client_.list(target.type.in(""), {.limit = request_.page_size, .continue_ = token});
    // A definition that was just established is served a moment later.
    if (page || page.error().code != ErrorCode::NotFound || client_.clock().steady() >= until) co_return page;
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(client_.clock(), kPause));
  }
}

Task<void> DeviceRewrite::rewrite(Target target) {
  const SteadyTime until = client_.clock().steady() + request_.wait;
  std::string token = request_.from.resource == target.name ? request_.from.token : std::string();
  for (int restarts = 0;;) {
    auto page = co_await list(target, token, until);
    if (!page && page.error().code == ErrorCode::Gone && !token.empty() && restarts < kMaxRestarts) {
      ++restarts;  // the server has forgotten that list: from the beginning, where most is done already
      token.clear();
      continue;
    }
    if (!page) co_return std::unexpected(std::move(page).error());
    token = page->metadata.continue_;
    Page work{target, std::move(page->items)};
    FAIRWAY_CO_CHECKED(co_await rewrite_page(work));
    if (token.empty()) break;
    if (request_.save) FAIRWAY_CO_CHECKED(request_.save({request_.cluster, target.name, token}));
  }
  if (refused_)
    co_return fail(ErrorCode::Invalid,
                   fmt::format("the server refused {} objects; the first: {}",
                               report_[target.type.kind.kind].failed, refused_->describe()));
  if (!target.storage_version.empty()) FAIRWAY_CO_CHECKED(co_await drop_old_versions(target));
  co_return Result<void>{};
}

Task<void> DeviceRewrite::rewrite_page(Page& page) {
  async::TaskGroup group(co_await boost::asio::this_coro::executor);
  for (int i = 0; i < kWorkers; ++i) group.spawn("rewrite", work_on(page));
  const auto ended = co_await group.join();
  if (!ended) {
    co_await group.stop();
    co_return ended;
  }
  if (broken_) co_return std::unexpected(*broken_);
  co_return Result<void>{};
}

Task<void> DeviceRewrite::work_on(Page& page) {
  while (page.next < page.items.size() && !broken_) {
    json::Object object = std::move(page.items[page.next++]);
    const std::string place = kube::key_of(object).to_string();
    ++report_[page.target.type.kind.kind].seen;
    auto done = co_await put_back(page.target, std::move(object));
    if (done) continue;
    Error error = std::move(done).error().within(place);
    if (ends_everything(error.code)) {
      if (!broken_) broken_ = std::move(error);
    } else {
      ++report_[page.target.type.kind.kind].failed;
      if (!refused_) refused_ = std::move(error);
    }
  }
  co_return Result<void>{};
}

Task<void> DeviceRewrite::put_back(const Target& target, json::Object object) {
  const kube::Resource place = target.type.at(kube::key_of(object));
  for (int conflicts = 0; conflicts < kMaxConflicts; ++conflicts) {
    object["apiVersion"] = target.type.kind.api_version();  // lists of built-in kinds leave them out
    object["kind"] = target.type.kind.kind;
    const std::string before(kube::resource_version_of(object));
    const auto written = co_await client_.update(place, object, {.field_manager = kManager});
    if (written) {
      if (kube::resource_version_of(*written) != before) ++report_[target.type.kind.kind].changed;
      co_return Result<void>{};
    }
    if (written.error().code == ErrorCode::NotFound) co_return Result<void>{};  // it is gone
    if (written.error().code != ErrorCode::Conflict) co_return std::unexpected(written.error());
    auto again = co_await client_.get(place);
    if (!again && again.error().code == ErrorCode::NotFound) co_return Result<void>{};
    if (!again) co_return std::unexpected(std::move(again).error());
    object = *std::move(again);
  }
  co_return fail(ErrorCode::Conflict,
                 fmt::format("it was changed by others {} times in a row", kMaxConflicts));
}

Task<void> DeviceRewrite::drop_old_versions(const Target& target) {
  for (int conflicts = 0; conflicts < kMaxConflicts; ++conflicts) {
    FAIRWAY_CO_TRY(json::Object definition, co_await client_.get(kDefinitions.in("", target.name)));
    const Versions versions = versions_of(definition);
    if (versions.stored != target.storage_version)
      co_return fail(ErrorCode::Conflict,
                     fmt::format("its storage version became {} meanwhile", quoted(versions.stored)));
    if (!versions.has_older) co_return Result<void>{};
    json::ensure_object(definition, {"status"})["storedVersions"] = json::Array{json::Value(versions.stored)};
    const auto written = co_await client_.update_status(kDefinitions.in("", target.name),
                                                        std::move(definition), {.field_manager = kManager});
    if (written) co_return Result<void>{};
    if (written.error().code != ErrorCode::Conflict) co_return std::unexpected(written.error());
  }
  co_return fail(ErrorCode::Conflict, "its definition was changed by others over and over");
}

}  // namespace fairway::cli
