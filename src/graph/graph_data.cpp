#include "graph/graph_data.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::graph {
namespace {

constexpr std::uint64_t kMajor = 1;
constexpr std::uint64_t kNewestMinor = 2;
constexpr std::string_view kRawMetadata = "raw/metadata.json";

class TreeReader {
 public:
  explicit TreeReader(const SourceFiles& files) {
    for (const SourceFile& file : files) files_.push_back(&file);
    std::ranges::sort(files_, {}, &SourceFile::path);
  }

  GraphDataReading read() {
    read_version();
    read_raw();
    for (const SourceFile* file : files_) read_file(*file);
    GraphDataReading reading;
    sort_findings(findings_);
    if (!any_refuses(findings_)) reading.data = std::move(data_);
    reading.findings = std::move(findings_);
    return reading;
  }

 private:
  const SourceFile* find(std::string_view path) const {
    const auto found = std::ranges::find(files_, path, &SourceFile::path);
    return found == files_.end() ? nullptr : *found;
  }

  void refuse(std::string id, std::string_view file, std::string message, std::string fix) {
    findings_.push_back({.id = std::move(id),
                         .file = std::string(file),
                         .message = std::move(message),
                         .fix = std::move(fix),
                         .refuses = true});
  }

  void read_version() {
    const SourceFile* file = find("version");
    if (file == nullptr)
      return refuse("version", "version", "expected a file \"version\" at the top of the tree, found none",
                    "write 1.1.0 into it");
    auto version = SemVer::parse(trim(file->text));
    if (!version)
      return refuse("version", "version", version.error().message, "write the version of the schema, 1.1.0");
    if (version->major != kMajor) {
      return refuse("version", "version",
                    fmt::format("expected version 1.x of the schema, found {}", quoted(trim(file->text))),
                    "use a Fairway that understands it");
    }
    if (version->minor > kNewestMinor) {
      findings_.push_back({.id = "version-newer",
                           .severity = Severity::Info,
                           .file = "version",
                           .line = 1,
                           .message = fmt::format(
                               "version {} of the schema is newer than 1.{}; what it added is not understood",
                               version->to_string(), kNewestMinor)});
    }
    data_.version = *std::move(version);
  }

  void read_raw() {
    const SourceFile* file = find(kRawMetadata);
    if (file == nullptr)
      return refuse("raw-metadata", kRawMetadata, "expected raw/metadata.json, found none",
                    "write {} into it if there is nothing to say");
    const auto object = json::parse_object(file->text);
    if (!object) return refuse("raw-metadata", kRawMetadata, object.error().message, "correct the file");
    for (const auto& item : *object) read_raw_entry({item.key().data(), item.key().size()}, item.value());
  }

  void read_raw_entry(std::string_view name, const json::Value& value) {
    const auto version = SemVer::parse(name);
    if (!version)
      return refuse("raw-metadata", kRawMetadata, version.error().message,
                    "name a release by its full version");
    if (!value.is_object()) {
      return refuse("raw-metadata", kRawMetadata,
                    fmt::format("expected an object for {}, found {}", quoted(name), json::a_kind(value)),
                    "correct it");
    }
    Metadata& metadata = data_.raw[plain_text(*version)];
    for (const auto& item : value.get_object()) {
      const std::string key(item.key().data(), item.key().size());
      if (!item.value().is_string()) {
        return refuse("raw-metadata", kRawMetadata,
                      fmt::format("expected text for {} of {}, found {}", quoted(key), quoted(name),
                                  json::a_kind(item.value())),
                      "put it in quotes");
      }
      std::string& text = metadata[key];
      if (!text.empty()) text += ',';
      text += json::view(item.value().get_string());
    }
  }

  void read_file(const SourceFile& file) {
    if (file.path.starts_with("blocked-edges/")) {
      read_blocks(file);
    } else if (file.path.starts_with("channels/") || file.path.starts_with("internal-channels/")) {
      read_channels(file);
    }
  }

  void read_blocks(const SourceFile& file) {
    const bool is_block = is_block_file(file.path);
    if (extension(file.path) != ".yaml") check_extension(file, "block", is_block);
    if (!is_block) return;
    if (auto block = read_block(file, data_.patterns, findings_)) data_.blocks.push_back(*std::move(block));
  }

  void read_channels(const SourceFile& file) {
    const bool is_channel = to_lower(extension(file.path)).starts_with(".y");
    if (extension(file.path) != ".yaml") check_extension(file, "channel", is_channel);
    if (!is_channel) return;
    if (auto channel = read_channel(file, data_.patterns, findings_))
      data_.channels.push_back(*std::move(channel));
  }

  void check_extension(const SourceFile& file, std::string_view kind, bool is_read) {
    findings_.push_back({.id = fmt::format("{}-extension", kind),
                         .severity = Severity::Error,
                         .file = file.path,
                         .message = fmt::format(
                             "expected only files that end in .yaml here; other services {}",
                             is_read ? "ignore this one, Fairway reads it" : "and Fairway ignore this one"),
                         .fix = is_read ? "rename it to .yaml" : "move it elsewhere"});
  }

  std::vector<const SourceFile*> files_;
  GraphData data_;
  Findings findings_;
};

}  // namespace

GraphDataReading read_graph_data(const SourceFiles& files) {
  return TreeReader(files).read();
}

Error refusal(std::span<const Finding> findings) {
  Error error{ErrorCode::Invalid, "the graph data is refused"};
  std::size_t more = 0;
  std::string first;
  for (const Finding& finding : findings) {
    if (!finding.refuses) continue;
    if (first.empty()) {
      first = to_text(finding);
    } else {
      ++more;
    }
  }
  if (!first.empty()) error.message += ": " + first;
  if (more > 0) error.message += fmt::format(" (and {} more)", more);
  return error;
}

}  // namespace fairway::graph
