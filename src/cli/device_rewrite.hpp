// DeviceRewrite: storage-version migration on one API server: every object of the chosen resources is listed,
// page by page, and put back unchanged, so that the server stores it in its present storage version.
//
// An object that somebody changed meanwhile (409) is read again and put back; one that is gone (404) needs
// nothing. A definition whose objects are all rewritten says so afterwards (status.storedVersions). Repeating
// it changes nothing, and after each page the position is saved, from which another run goes on. Belongs to
// one event loop; client and report outlive it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "device/storage_step.hpp"
#include "kube/client/client.hpp"

namespace fairway::cli {

struct RewriteRequest {
  std::string cluster = {};                    // how positions call this server
  std::vector<json::Object> definitions = {};  // applied first
  std::vector<std::string> resources = {};     // plural.group; empty: definitions with older versions stored
  std::int64_t page_size = 500;
  Duration wait = std::chrono::minutes(5);  // until the server has taken up the definitions
  device::StoragePosition from = {};        // of this cluster
  std::function<Result<void>(const device::StoragePosition&)> save = {};
};

class DeviceRewrite {
 public:
  DeviceRewrite(kube::Client& client, RewriteRequest request, device::RewriteReport& report)
      : client_(client), request_(std::move(request)), report_(report) {}

  Task<void> run();

 private:
  struct Target {
    std::string name;  // widgets.example.test
    kube::ResourceType type;
    std::string storage_version = {};  // of a definition; "" for what is built in
  };
  // What the workers of one page share.
  struct Page {
    const Target& target;
    std::vector<json::Object> items;
    std::size_t next = 0;
  };

  Task<void> apply_definitions();
  Task<void> wait_for(std::string definition);
  Task<std::vector<Target>> targets();
  Task<Target> find_built_in(std::string name);
  Task<void> rewrite(Target target);
  Task<kube::ObjectList> list(const Target& target, std::string token, SteadyTime until);
  Task<void> rewrite_page(Page& page);
  Task<void> work_on(Page& page);
  Task<void> put_back(const Target& target, json::Object object);
  Task<void> drop_old_versions(const Target& target);

  kube::Client& client_;
  RewriteRequest request_;
  device::RewriteReport& report_;
  std::optional<Error> refused_ = {};  // the first object that the server would not take
  std::optional<Error> broken_ = {};   // why no further object is tried
};

}  // namespace fairway::cli
