// Checks of blocks: names, urls, agreement between the files of one risk, patterns, queries.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "graph/lint_parts.hpp"

namespace fairway::graph::linting {
namespace {

constexpr std::array<std::string_view, 5> kArchitectures{"amd64", "arm64", "multi", "ppc64le", "s390x"};
constexpr std::size_t kMostExamples = 3;

bool is_reason_name(std::string_view name) {
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

void check_names(LintRun& run, const Block& block) {
  if (block.name.empty()) return;
  const std::string_view file = file_name(block.file);
  const std::string wanted = fmt::format("{}-{}.yaml", block.to.to_string(), block.name);
  if (!file.starts_with(block.to.to_string())) {
    run.report(
        Severity::Error, "block-file-name", block.file, {},
        fmt::format("expected a file name that starts with {}, the version of \"to\"", block.to.to_string()),
        fmt::format("rename it to {}", wanted));
  } else if (file != wanted) {
    run.report(Severity::Warning, "block-file-name", block.file, {},
               fmt::format("the file is not named after its target and risk, {}", wanted), "rename it");
  }
  if (!is_reason_name(block.name)) {
    run.report(
        Severity::Error, "block-name", block.file, {"name"},
        fmt::format("expected a CamelCase name, which is a condition's reason, found {}", quoted(block.name)),
        "use letters, digits and underscores, starting with a capital letter");
  }
}

void check_fields(LintRun& run, const Block& block) {
  if (!block.url.empty() && !block.url.starts_with("https://")) {
    run.report(Severity::Error, "block-url", block.file, {"url"},
               fmt::format("expected a url that starts with https://, found {}", quoted(block.url)),
               "correct it");
  }
  if (block.fixed_in && block.fixed_in->compare_precedence(block.to) <= 0) {
    run.report(Severity::Warning, "block-fixed-before", block.file, {"fixedIn"},
               fmt::format("fixedIn {} is not above \"to\", {}: a fixed release needs no block",
                           block.fixed_in->to_string(), block.to.to_string()),
               "correct one of them");
  }
  if (!run.known_versions.contains(plain_text(block.to))) {
    run.report(Severity::Warning, "block-to-outside", block.file, {"to"},
               fmt::format("{} is in no channel, so that the block has no effect", block.to.to_string()),
               "correct the version, or remove the file");
  }
  if (block.query) {
    run.report(
        Severity::Warning, "block-by-service", block.file, {"clusters"},
        "clusters.promql works only on services with a Prometheus; others recommend the update to everyone",
        "use matchingRules, which clusters evaluate themselves");
  }
}

// Everything but from, to and fixedIn.
std::string shared_part(const Block& block) {
  return fmt::format("{}\n{}\n{}", json::serialize(to_json(block.risk())), block.query.value_or(""),
                     block.auto_extend);
}

void check_agreement(LintRun& run) {
  std::map<std::string_view, const Block*> first;
  for (const Block& block : run.data.blocks) {
    if (block.name.empty()) continue;
    const auto [place, is_new] = first.try_emplace(block.name, &block);
    if (is_new || shared_part(*place->second) == shared_part(block)) continue;
    run.report(Severity::Error, "risk-differs", block.file, {"name"},
               fmt::format("{} differs from the same risk in {}", block.name, place->second->file),
               "make url, message and rules the same, or give one another name");
  }
}

// The versions that `from` may be asked about.
class PatternProbe {
 public:
  explicit PatternProbe(const LintRun& run) : patterns_(run.data.patterns) {
    for (const std::string& version : run.known_versions) plain_.push_back(version);
    for (std::string_view arch : kArchitectures) {
      for (const std::string& version : plain_) texts_.push_back(fmt::format("{}+{}", version, arch));
    }
    const std::vector<std::string_view> views(texts_.begin(), texts_.end());
    matches_ = patterns_.match_all(views);
  }

  bool matches_anything(PatternId pattern) const {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (matches_.test(pattern, i)) return true;
    }
    return false;
  }

  // Versions that it finds somewhere inside, while it does not describe them from end to end.
  std::vector<std::string> accidents(PatternId pattern) const {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (!matches_.test(pattern, i)) continue;
      const std::string& plain = plain_[i % plain_.size()];
      if (patterns_.matches_whole(pattern, texts_[i]) || patterns_.matches_whole(pattern, plain)) continue;
      if (std::ranges::find(found, plain) == found.end()) found.push_back(plain);
    }
    return found;
  }

  bool overlap(PatternId a, PatternId b) const {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (matches_.test(a, i) && matches_.test(b, i)) return true;
    }
    return false;
  }

 private:
  const Patterns& patterns_;
  std::vector<std::string> plain_;
  std::vector<std::string> texts_;
  Patterns::Matches matches_;
};

std::string examples(const std::vector<std::string>& versions) {
  const std::size_t shown = std::min(versions.size(), kMostExamples);
  std::string text = join(std::span(versions).first(shown), ", ");
  if (versions.size() > shown) text += fmt::format(" and {} more", versions.size() - shown);
  return text;
}

void check_overlaps(LintRun& run, const PatternProbe& probe) {
  std::map<std::string, std::vector<const Block*>> by_target;
  for (const Block& block : run.data.blocks) by_target[block.to.to_string()].push_back(&block);
  for (const auto& [to, blocks] : by_target) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (std::size_t k = 0; k < blocks.size(); ++k) {
        const Block& one = *blocks[i];
        const Block& other = *blocks[k];
        if (i < k && !one.name.empty() && one.name == other.name &&
            probe.overlap(one.pattern, other.pattern)) {
          run.report(
              Severity::Warning, "risk-twice", other.file, {"from"},
              fmt::format("{} is declared for some updates to {} by {}, too", other.name, to, one.file),
              "let the patterns not overlap");
        }
        if (one.is_unconditional() && !other.is_unconditional() &&
            probe.overlap(one.pattern, other.pattern)) {
          run.report(Severity::Warning, "block-overruled", other.file, {"from"},
                     fmt::format("{} blocks some of these updates for everyone, whatever the rules here say",
                                 one.file),
                     "remove one of them");
        }
      }
    }
  }
}

struct QueryPlace {
  const Block* first = nullptr;
  std::size_t files = 0;
  QueryUse use = QueryUse::OnCluster;
};

// Where line `line` of a query stands in its file.
std::size_t query_line(const LintRun& run, const QueryPlace& place, std::size_t line) {
  const std::string_view text = run.text_of(place.first->file);
  const std::size_t key = place.use == QueryUse::OnCluster
                              ? line_of_key(text, {"matchingRules", "promql", "promql"})
                              : line_of_key(text, {"clusters", "promql"});
  if (key == 0) return 0;
  const auto lines = split(text, '\n');
  const std::string_view on = trim(lines[key - 1]);
  const bool is_block_scalar =
      on.ends_with('|') || on.ends_with('-') || on.ends_with('>') || on.ends_with('+');
  return is_block_scalar ? key + line : key + line - 1;
}

}  // namespace

void lint_blocks(LintRun& run) {
  for (const Block& block : run.data.blocks) {
    check_names(run, block);
    check_fields(run, block);
  }
  check_agreement(run);
}

void lint_patterns(LintRun& run) {
  if (run.data.blocks.empty() || run.known_versions.empty()) return;
  const PatternProbe probe(run);
  std::map<PatternId, std::vector<std::string>> accidents;
  for (const Block& block : run.data.blocks) {
    const auto [place, is_new] = accidents.try_emplace(block.pattern);
    if (is_new) place->second = probe.accidents(block.pattern);
    if (!place->second.empty()) {
      run.report(
          Severity::Warning, "block-from-broad", block.file, {"from"},
          fmt::format("{} is not anchored and also matches {}", quoted(block.from), examples(place->second)),
          "write ^…[+].*$ around what is meant");
    }
    if (!probe.matches_anything(block.pattern)) {
      run.report(Severity::Info, "block-from-nothing", block.file, {"from"},
                 fmt::format("{} matches no version of any channel", quoted(block.from)),
                 "correct the expression, or remove the file");
    }
  }
  check_overlaps(run, probe);
}

void lint_queries(LintRun& run) {
  if (!run.options.lint_query) return;
  std::map<std::pair<std::string_view, QueryUse>, QueryPlace> queries;
  const auto note = [&](const Block& block, std::string_view query, QueryUse use) {
    QueryPlace& place = queries[{query, use}];
    if (place.first == nullptr) place = {&block, 0, use};
    ++place.files;
  };
  for (const Block& block : run.data.blocks) {
    if (block.query) note(block, *block.query, QueryUse::ByService);
    for (const Rule& rule : block.rules) {
      if (rule.type == "PromQL") note(block, rule.promql, QueryUse::OnCluster);
    }
  }
  for (const auto& [query, place] : queries) {
    for (QueryFinding& finding : run.options.lint_query(query.first, place.use)) {
      if (place.files > 1)
        finding.message += fmt::format(" (the same query stands in {} more files)", place.files - 1);
      run.report_at(finding.severity, "promql-" + finding.id, place.first->file,
                    query_line(run, place, finding.line), std::move(finding.message), std::move(finding.fix));
    }
  }
}

}  // namespace fairway::graph::linting
