// References to images: [http://|https://]host[:port]/namespace/repo[:tag][@sha256:…], as values.
//
// Without a scheme a registry is asked over TLS; http:// is the user's word that it may be asked in plain. A
// reference may name a repository alone. What is parsed is valid: names and tags can go into a URL as they
// are. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/message.hpp"
#include "oci/digest.hpp"

namespace fairway::oci {

bool is_repository_name(std::string_view text);
bool is_tag(std::string_view text);

struct RegistryHost {
  std::string host = {};  // lower case; an IPv6 address without its brackets
  std::optional<std::uint16_t> port = {};
  bool is_plain = false;

  static Result<RegistryHost> parse(std::string_view text);
  std::string authority() const;  // host[:port] as it was written
  std::string to_string() const;  // the same, after http:// when plain
  http::Url url(std::string path) const;

  bool operator==(const RegistryHost&) const = default;
};

struct Reference {
  RegistryHost registry = {};
  std::string repository = {};  // openshift-release-dev/ocp-release
  std::string tag = {};         // empty: none was given
  std::optional<Digest> digest = {};

  static Result<Reference> parse(std::string_view text);
  std::string to_string() const;

  bool operator==(const Reference&) const = default;
};

// host[:port]/repo@sha256:…: the form in which a graph names a release. It has no scheme, because it is the
// cluster that pulls, by its own rules.
std::string payload_of(const RegistryHost& registry, std::string_view repository, const Digest& digest);

}  // namespace fairway::oci
