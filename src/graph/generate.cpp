#include "graph/generate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <random>

#include "base/text.hpp"

namespace fairway::graph {
namespace {

struct Version {
  std::size_t minor = 0;
  std::string text;
  bool is_candidate = false;
};

class Generator {
 public:
  explicit Generator(const GenerateOptions& options) : options_(options), random_(options.seed) {}

  GeneratedTree run() {
    name_versions();
    tree_.files.push_back({"version", "1.1.0\n"});
    tree_.files.push_back({"raw/metadata.json", "{}\n"});
    write_channels();
    for (std::size_t i = 0; i < options_.risks; ++i) write_risk(i);
    for (std::size_t i = 0; i < options_.targeted; ++i) write_targeted(i);
    write_releases();
    std::ranges::sort(tree_.files, {}, &SourceFile::path);
    return std::move(tree_);
  }

 private:
  // std's distributions differ between libraries; the remainder does not.
  std::size_t below(std::size_t limit) {
    return limit == 0 ? 0 : static_cast<std::size_t>(random_() % limit);
  }

  void name_versions() {
    for (std::size_t minor = 1; minor <= options_.minors; ++minor) {
      for (std::size_t rc = 0; rc < 2; ++rc)
        versions_.push_back({minor, fmt::format("4.{}.0-rc.{}", minor, rc), true});
      for (std::size_t patch = 0; patch < options_.patches; ++patch)
        versions_.push_back({minor, fmt::format("4.{}.{}", minor, patch)});
    }
  }

  void write_channels() {
    for (std::size_t minor = 1; minor <= options_.minors; ++minor) {
      write_channel("candidate", minor, 0);
      write_channel("fast", minor, 1);
      write_channel("stable", minor, 2);
      if (minor % 2 == 0) write_channel("eus", minor, 2);
    }
  }

  // A steadier channel leaves out the newest releases, and all candidates.
  void write_channel(std::string_view name, std::size_t minor, std::size_t behind) {
    std::string text = fmt::format("name: {}-{}.{}\nversions:\n", name, 4, minor);
    std::vector<std::string> listed;
    for (const Version& version : versions_) {
      if (version.minor > minor || version.minor + 1 < minor) continue;
      if (version.is_candidate && behind > 0) continue;
      listed.push_back(version.text);
    }
    listed.resize(listed.size() > behind ? listed.size() - behind : std::min<std::size_t>(listed.size(), 1));
    for (const std::string& version : listed) text += fmt::format("- {}\n", version);
    tree_.files.push_back({fmt::format("channels/{}-4.{}.yaml", name, minor), text});
  }

  std::string pattern(std::size_t minor) {
    switch (below(4)) {
      case 0:
        return ".*";
      case 1:
        return fmt::format("4[.]{}[.].*", minor > 1 ? minor - 1 : minor);
      case 2:
        return fmt::format("^4[.]{}[.]([0-9]|1[0-7])[+].*$", minor > 1 ? minor - 1 : minor);
      default:
        return fmt::format(R"(4\.{}\..*)", minor);
    }
  }

  std::string matching_rules(std::size_t number) {
    if (below(3) == 0) return "matchingRules:\n- type: Always\n";
    return fmt::format(
        "matchingRules:\n- type: PromQL\n  promql:\n    promql: |\n      "
        "group(cluster_feature{{name=\"feature-{}\"}})\n"
        "      or\n      0 * group(cluster_feature)\n",
        number);
  }

  void write_risk(std::size_t number) {
    const std::size_t start = below(versions_.size());
    const std::size_t length = 1 + below(std::max<std::size_t>(2, options_.patches / 2));
    const std::string from = pattern(versions_[start].minor);
    if (number % 5 == 4) {  // a release that nobody should be on
      const std::string& to = versions_[start].text;
      tree_.files.push_back(
          {fmt::format("blocked-edges/{}.yaml", to), fmt::format("to: {}\nfrom: {}\n", to, from)});
      return;
    }
    const std::string name = fmt::format("Risk{}", number);
    const std::string rules = matching_rules(number);
    for (std::size_t i = start; i < std::min(start + length, versions_.size()); ++i) {
      const std::string& to = versions_[i].text;
      tree_.files.push_back({fmt::format("blocked-edges/{}-{}.yaml", to, name),
                             fmt::format("to: {}\nfrom: {}\nurl: https://issues.example.com/{}\nname: {}\n"
                                         "message: Clusters with feature {} may lose it.\n{}",
                                         to, from, number, name, number, rules)});
    }
  }

  void write_targeted(std::size_t number) {
    const Version& version = versions_[below(versions_.size())];
    tree_.files.push_back(
        {fmt::format("blocked-edges/{}-targeted-{}.yaml", version.text, number),
         fmt::format("to: {}\nfrom: .*\nclusters:\n  promql: |\n    max by (_id) (0 * "
                     "subscription_labels{{managed=\"true\"}})\n"
                     "    or\n    max by (_id) (subscription_labels{{managed=\"false\",plan=\"{}\"}})\n",
                     version.text, number)});
  }

  void write_releases() {
    for (const std::string& arch : options_.architectures) {
      for (std::size_t i = 0; i < versions_.size(); ++i) {
        ReleaseMetadata metadata;
        auto version = SemVer::parse(versions_[i].text);
        FAIRWAY_CHECK(version.has_value(), "the generator made a version that is none");
        metadata.version = *std::move(version);
        for (std::size_t k = 0; k < i; ++k) {
          const bool leads_here =
              versions_[k].minor == versions_[i].minor ||
              (versions_[k].minor + 1 == versions_[i].minor && !versions_[k].is_candidate);
          if (leads_here) metadata.previous.push_back(versions_[k].text);
        }
        metadata.metadata["url"] = fmt::format("https://errata.example.com/RHBA-2024:{:04}", i);
        tree_.releases.push_back(*make_release(std::move(metadata), arch, payload(versions_[i].text, arch)));
      }
    }
  }

  std::string payload(std::string_view version, std::string_view arch) {
    std::string digest;
    std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a: the same everywhere, unlike std::hash
    for (const char c : fmt::format("{}+{}", version, arch))
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    std::mt19937_64 bits(hash);
    for (int i = 0; i < 4; ++i) digest += fmt::format("{:016x}", bits());
    return fmt::format("registry.example.com/release@sha256:{}", digest);
  }

  const GenerateOptions& options_;
  std::mt19937_64 random_;
  std::vector<Version> versions_;
  GeneratedTree tree_;
};

}  // namespace

GeneratedTree generate_tree(const GenerateOptions& options) {
  return Generator(options).run();
}

std::vector<Release> for_architectures(const std::vector<Release>& releases,
                                       const std::vector<std::string>& architectures) {
  std::vector<Release> all;
  all.reserve(releases.size() * architectures.size());
  for (const std::string& arch : architectures) {
    for (const Release& release : releases) {
      ReleaseMetadata metadata{release.version, release.previous, release.next, release.metadata};
      const auto at = release.payload.find('@');
      const std::string payload =
          fmt::format("{}-{}{}", release.payload.substr(0, at), arch, release.payload.substr(at));
      if (auto copy = make_release(std::move(metadata), arch, payload)) all.push_back(*std::move(copy));
    }
  }
  return all;
}

}  // namespace fairway::graph
