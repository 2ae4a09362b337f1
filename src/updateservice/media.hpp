// Media types: what a graph is sent as.
//
// Every header that the reference accepts keeps its result; beyond that, Accept is read as RFC 9110 says.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "updateservice/problem.hpp"

namespace fairway::updateservice {

enum class Media : std::uint8_t { Json, CincinnatiV1 };
inline constexpr std::size_t kMediaCount = 2;

std::string_view to_string(Media media);

// Nothing stands for an absent header.
Judged<Media> choose_media(std::optional<std::string_view> accept);
// The same for what is only ever application/json.
Judged<void> require_json(std::optional<std::string_view> accept);

}  // namespace fairway::updateservice
