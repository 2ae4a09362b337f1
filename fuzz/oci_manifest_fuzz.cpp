// What registries and users write about images: manifests, references, credentials, challenges and links. Any
// text is read or refused, and what is read is what it seems.
#include <algorithm>
#include <string_view>

#include "oci/challenge.hpp"
#include "oci/credentials.hpp"
#include "oci/manifest.hpp"
#include "oci/navigation.hpp"
#include "oci/reference.hpp"

#include "fuzzer.hpp"

namespace {

using namespace fairway;

void check_reference(std::string_view text) {
  const auto read = oci::Reference::parse(text);
  if (!read) return;
  FAIRWAY_CHECK(oci::Reference::parse(read->to_string()) == *read, "a reference does not read back");
  FAIRWAY_CHECK(oci::is_repository_name(read->repository), "a reference without a repository");
  const auto url = http::Url::parse(read->registry.url("/v2/").origin());
  FAIRWAY_CHECK(url && url->host == read->registry.url("").host, "a registry that is no host");
}

void check_manifest(std::string_view text) {
  const auto read = oci::parse_manifest(text);
  if (!read) return;
  const bool is_index = std::holds_alternative<oci::Index>(read->content);
  FAIRWAY_CHECK(is_index == oci::is_index_type(read->media_type), "a type that is not its content's");
  if (is_index) (void)oci::images_of(std::get<oci::Index>(read->content));
}

void check_links(const std::string& text) {
  if (text.find_first_of("\r\n") != std::string::npos) return;
  const http::Url base{
      .scheme = "https", .host = "r.example", .port = 443, .path = "/v2/a?b", .user_info = {}};
  const auto link = oci::next_link({{"Link", text}});
  const auto url = oci::resolve(base, link && *link ? **link : text);
  FAIRWAY_CHECK(!url || url->path.empty() || url->path.front() == '/', "a path that is none");
}

}  // namespace

FAIRWAY_FUZZER(oci_manifest, text) {
  check_reference(text);
  check_manifest(text);
  (void)oci::parse_platform(text);
  if (const auto challenges = oci::parse_challenges(text)) {
    FAIRWAY_CHECK(std::ranges::none_of(*challenges, [](const auto& each) { return each.scheme.empty(); }),
                  "a challenge without a scheme");
  }
  if (const auto credentials = oci::Credentials::parse(text)) (void)credentials->find("quay.io", text);
  check_links(std::string(text));
}
