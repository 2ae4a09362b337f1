#include "clusterversion/recommendation.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kNotExposed = "NotExposedToRisks";
constexpr std::string_view kExposed = "ExposedToRisks";
constexpr std::string_view kAllAccepted = "AllExposedRisksAccepted";
constexpr std::string_view kMultipleReasons = "MultipleReasons";

bool is_reason_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$, at most 1024 characters.
bool is_reason(std::string_view text) {
  if (text.empty() || text.size() > 1024) return false;
  const char first = text.front();
  if (!is_reason_character(first) || first == '_' || (first >= '0' && first <= '9')) return false;
  if (!is_reason_character(text.back())) return false;
  return std::ranges::all_of(text, [](char c) { return is_reason_character(c) || c == ',' || c == ':'; });
}

std::string unknown_text(const Risk& risk, const NoVerdict& failure) {
  const std::string opening =
      failure.is_waiting
          ? fmt::format("Exposure to update risk {} is not evaluated yet ({})", risk.name, failure.why)
          : fmt::format("Could not evaluate exposure to update risk {} ({})", risk.name, failure.why);
  return fmt::format("{}\n  {} description: {}\n  {} URL: {}", opening, risk.name, risk.message, risk.name,
                     risk.url);
}

// The fold over the risks of one update.
class Fold {
 public:
  void add(const Risk& risk, const RuleVerdict& verdict, bool is_accepted) {
    if (!verdict) {
      raise(Status::Unknown, verdict.error().reason, unknown_text(risk, verdict.error()),
            verdict.error().is_waiting);
    } else if (*verdict && is_accepted) {
      accepted_ = true;
    } else if (*verdict) {
      raise(Status::False, is_reason(risk.name) ? std::string(risk.name) : std::string(kExposed),
            exposure_text(risk), false);
    }
  }

  kube::Condition condition() const {
    kube::Condition made{.type = std::string(kRecommended), .status = std::string(kube::kConditionTrue)};
    if (status_ == Status::True) {
      made.reason = accepted_ ? kAllAccepted : kNotExposed;
      made.message =
          accepted_ ? "The update is recommended, because either risk does not apply to this cluster or it "
                      "is accepted by cluster admins."
                    : "The update is recommended, because none of the conditional update risks apply to "
                      "this cluster.";
      return made;
    }
    made.status = status_ == Status::False ? kube::kConditionFalse : kube::kConditionUnknown;
    made.reason = reason_.empty() ? waiting_reason_ : reason_;
    made.message = join(parts_, "\n\n");
    return made;
  }

 private:
  enum class Status { True, Unknown, False };

  // A risk that merely waits gives no reason where another has one: it will speak for itself.
  void raise(Status status, const std::string& reason, std::string part, bool is_waiting) {
    status_ = std::max(status_, status);
    parts_.push_back(std::move(part));
    if (is_waiting) {
      waiting_reason_ = reason;
    } else if (reason_.empty() || (reason == kExposed && is_failure_)) {
      reason_ = reason;
      is_failure_ = status == Status::Unknown;
    } else if (reason_ == kExposed && status == Status::Unknown) {
      // Being exposed absorbs not being able to tell.
    } else if (reason_ != reason) {
      reason_ = kMultipleReasons;
      is_failure_ = false;
    }
  }

  Status status_ = Status::True;
  std::string reason_;
  std::string waiting_reason_;
  bool is_failure_ = false;
  bool accepted_ = false;
  std::vector<std::string> parts_;
};

// Whether the risks will be evaluated at all.
kube::Condition evaluating(const OfferedUpdate& update) {
  std::vector<std::string> unrecognized;
  std::vector<std::string> without;
  for (const OfferedRisk& risk : update.risks) {
    if (risk.rules.empty()) (risk.had_rules ? unrecognized : without).push_back(risk.risk.name);
  }
  kube::Condition made{.type = std::string(kEvaluating), .status = std::string(kube::kConditionTrue)};
  if (unrecognized.empty() && without.empty()) {
    made.reason = "PeriodicEvaluation";
    made.message = "Periodically evaluating risks associated with this update.";
    return made;
  }
  made.status = kube::kConditionFalse;
  made.reason = unrecognized.empty() ? "NoMatchingRules" : "UnrecognizedMatchingRules";
  std::vector<std::string> sentences;
  if (!unrecognized.empty())
    sentences.push_back(
        fmt::format("No matching rule that this cluster understands: {}.", join(unrecognized, ", ")));
  if (!without.empty())
    sentences.push_back(fmt::format("No matching rules at all: {}.", join(without, ", ")));
  made.message = join(sentences, " ");
  return made;
}

}  // namespace

std::string exposure_text(const Risk& risk) {
  return fmt::format("{} {}", risk.message, risk.url);
}

RuleVerdict evaluate(const OfferedRisk& risk, const RuleRegistry& registry) {
  // A risk without any rule is one that nobody escapes.
  if (!risk.had_rules) return true;
  RuleVerdict verdict = walk(risk.rules, registry);
  if (risk.is_divergent && verdict && !*verdict)
    return std::unexpected(NoVerdict{.why = fmt::format("divergent definitions of risk {}", risk.risk.name)});
  return verdict;
}

kube::Conditions judge(const OfferedUpdate& update, const RiskEvaluation& evaluation,
                       const AcceptedNames& accepted) {
  Fold fold;
  for (const OfferedRisk& risk : update.risks)
    fold.add(risk.risk, evaluation(risk), accepted.contains(risk.risk.name));
  kube::Conditions made = {evaluating(update), fold.condition()};
  for (kube::Condition& condition : made) shorten(condition.message, kMostMessageBytes);
  return made;
}

kube::Condition applies(const OfferedRisk& risk, const RuleVerdict& verdict) {
  kube::Condition made{.type = "Applies", .status = std::string(kube::kConditionUnknown)};
  if (!verdict) {
    made.reason = verdict.error().reason;
    made.message = unknown_text(risk.risk, verdict.error());
  } else {
    made.status = *verdict ? kube::kConditionTrue : kube::kConditionFalse;
    made.reason = *verdict ? "Match" : "NotMatch";
    made.message = *verdict ? exposure_text(risk.risk) : "The matching rules do not match this cluster.";
  }
  shorten(made.message, kMostMessageBytes);
  return made;
}

}  // namespace fairway::clusterversion
