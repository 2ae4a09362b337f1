#include "clusterversion/release_retriever.hpp"

#include <fmt/format.h>

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kUnproven =
    "what comes from a directory has no digest that a signature could name; a registry would prove it";

Retrieval failed(PayloadFailure failure) {
  return {.failure = std::move(failure)};
}

}  // namespace

ReleaseRetriever::ReleaseRetriever(PayloadSource& payloads, ReleaseVerifier& verifier,
                                   std::vector<std::string> stores)
    : payloads_(payloads), verifier_(verifier), stores_(std::move(stores)) {}

Task<std::string> ReleaseRetriever::doubt(std::string digest, std::vector<std::string> stores) {
  auto verified = co_await verifier_.verify(std::move(digest), stores.empty() ? stores_ : std::move(stores));
  if (verified) co_return std::string();
  if (verified.error().code == ErrorCode::Cancelled) co_return std::unexpected(std::move(verified).error());
  co_return verified.error().describe();
}

Task<Retrieval> ReleaseRetriever::retrieve(RetrieveRelease asked) {
  const Release& target = asked.wanted.target;
  const bool is_checked = !asked.is_local;
  const std::string digest(digest_of(target.image));
  std::string doubts;
  if (is_checked && !digest.empty()) {
    FAIRWAY_CO_TRY(doubts, co_await doubt(digest, asked.signature_stores));
    if (!doubts.empty() && !asked.wanted.force) co_return failed(verification_failure(target, doubts));
  }
  FAIRWAY_CO_TRY(PayloadOutcome payload, co_await payloads_.load(target));
  if (!payload) co_return failed(std::move(payload).error());
  if (is_checked && doubts.empty()) {
    if (payload->digest.empty()) {
      doubts = kUnproven;
    } else if (payload->digest != digest) {
      FAIRWAY_CO_TRY(doubts, co_await doubt(payload->digest, asked.signature_stores));
    }
    if (!doubts.empty() && !asked.wanted.force) co_return failed(verification_failure(target, doubts));
  }
  co_return Retrieval{.payload = std::make_shared<const Payload>(*std::move(payload)),
                      .is_verified = is_checked && doubts.empty(),
                      .verification = std::move(doubts)};
}

}  // namespace fairway::clusterversion
