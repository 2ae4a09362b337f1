#include "cli/options.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <vector>

#include "base/text.hpp"

namespace fairway::cli {
namespace {

bool is_ip_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

// CLI11 takes a check as a function whose answer is the complaint.
template <class Check>
void check(CLI::Option& option, Check complaint) {
  option.check(CLI::Validator(std::function<std::string(std::string&)>(complaint), ""));
}

}  // namespace

CLI::Option& choice(CLI::Option& option, std::initializer_list<std::string_view> words) {
  return choice(option, std::vector<std::string>(words.begin(), words.end()));
}

CLI::Option& choice(CLI::Option& option, const std::vector<std::string>& allowed) {
  option.type_name(join(allowed, "|"));
  check(option, [allowed](const std::string& word) -> std::string {
    if (std::ranges::find(allowed, word) != allowed.end()) return "";
    const auto near = nearest(word, allowed);
    return fmt::format("expected one of {}, found {}{}", join(allowed, ", "), quoted(word),
                       near ? fmt::format("; did you mean {}?", quoted(*near)) : "");
  });
  return option;
}

CLI::Option& number_option(CLI::App& command, std::string flag, std::size_t& into, NumberRange range,
                           std::string description) {
  CLI::Option& option = *command.add_option_function<std::string>(
      std::move(flag), [&into](const std::string& text) { into = parse_unsigned(text).value_or(into); },
      std::move(description));
  option.type_name("N");
  check(option, [range](const std::string& word) -> std::string {
    const auto number = parse_unsigned(word);
    if (number && *number >= range.least && *number <= range.most) return "";
    return fmt::format("expected a whole number from {} to {}, found {}", range.least, range.most,
                       quoted(word));
  });
  option.default_str(fmt::to_string(into));
  return option;
}

CLI::Option& duration_option(CLI::App& command, std::string flag, Duration& into, std::string description) {
  CLI::Option& option = *command.add_option_function<std::string>(
      std::move(flag), [&into](const std::string& text) { into = parse_duration(text).value_or(into); },
      std::move(description));
  option.type_name("DURATION");
  check(option, [](const std::string& text) -> std::string {
    const auto duration = parse_duration(text);
    if (duration && *duration > Duration::zero()) return "";
    return fmt::format("expected a duration such as 90s or 1h30m, found {}", quoted(text));
  });
  option.default_str(format_duration(into));
  return option;
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected ADDRESS:PORT such as 127.0.0.1:6443, found {}: {}", quoted(text), why));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong("the port is missing");
  std::string_view address = text.substr(0, colon);
  const bool has_brackets = address.starts_with('[') && address.ends_with(']');
  if (has_brackets) address = address.substr(1, address.size() - 2);
  if (!has_brackets && address.find(':') != std::string_view::npos) {
    return wrong("an IPv6 address stands in brackets, as in [::1]:6443");
  }
  if (address.empty()) return wrong("the address is missing; 0.0.0.0 stands for all of this machine's");
  const std::string name(address == "localhost" ? "127.0.0.1" : address);
  if (!is_ip_address(name)) return wrong("the address is not an IP address");
  const auto port = parse_unsigned(text.substr(colon + 1));
  if (!port || *port > std::numeric_limits<std::uint16_t>::max()) return wrong("the port is not one");
  return Endpoint{name, static_cast<std::uint16_t>(*port)};
}

std::string to_string(const Endpoint& endpoint) {
  const bool is_v6 = endpoint.address.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", endpoint.address, endpoint.port)
               : fmt::format("{}:{}", endpoint.address, endpoint.port);
}

CLI::Option& endpoint_option(CLI::App& command, std::string flag, Endpoint& into, std::string description) {
  CLI::Option& option = *command.add_option_function<std::string>(
      std::move(flag), [&into](const std::string& text) { into = parse_endpoint(text).value_or(into); },
      std::move(description));
  option.type_name("ADDR:PORT");
  check(option, [](const std::string& text) -> std::string {
    const auto endpoint = parse_endpoint(text);
    return endpoint ? "" : endpoint.error().message;
  });
  if (!into.address.empty()) option.default_str(to_string(into));
  return option;
}

}  // namespace fairway::cli
