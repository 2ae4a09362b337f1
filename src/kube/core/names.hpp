// Kubernetes' rules for names, labels and their like, in Kubernetes' own words.
//
// Each validate function gives the list of what is wrong, empty when nothing is; the texts are those of
// k8s.io/apimachinery, because users and tools search for them. The is_ functions answer the same question
// without building texts. Pure; lengths count bytes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/schema_errors.hpp"

namespace fairway::kube {

using Problems = std::vector<std::string>;
using Labels = std::map<std::string, std::string>;

// "a lowercase RFC 1123 label must consist of …": namespaces, parts of host names.
Problems validate_dns1123_label(std::string_view value);
// Names of most objects.
Problems validate_dns1123_subdomain(std::string_view value);
// Services before 1.34, container ports: starts with a letter.
Problems validate_dns1035_label(std::string_view value);
// [PREFIX/]NAME: keys of labels and annotations, finalizers, condition types.
Problems validate_qualified_name(std::string_view value);
Problems validate_label_value(std::string_view value);
// What any name must at least be, to stand in a URL: not ".", "..", nor with "/" or "%" in it.
Problems validate_path_segment_name(std::string_view value);
Problems validate_port_name(std::string_view value);

bool is_dns1123_label(std::string_view value);
bool is_dns1123_subdomain(std::string_view value);
bool is_dns1035_label(std::string_view value);
bool is_qualified_name(std::string_view value);
bool is_label_value(std::string_view value);

// A generateName is judged by its rule as the name that could come of it: "web-" as "wea".
std::string mask_trailing_dash(std::string_view prefix);

// Of metadata.labels and metadata.annotations, with `path` naming the field.
json::FieldErrors validate_labels(const Labels& labels, std::string_view path);
json::FieldErrors validate_annotations(const Labels& annotations, std::string_view path);

}  // namespace fairway::kube
