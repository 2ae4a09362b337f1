#include "device/plan.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::device {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted(text);
  return list;
}

std::string describe_next(const NextBoot& next) {
  std::string text;
  if (next.backup)
    text = fmt::format("a backup of deployment {} from boot {}", quoted(next.backup->deployment_id),
                       quoted(next.backup->boot_id));
  if (next.restore) {
    text += text.empty() ? "" : ", then ";
    text += next.restore->deployment_id ? fmt::format("a restore of {}", quoted(*next.restore->deployment_id))
                                        : std::string("a restore");
    text += next.restore->by == Requester::Red ? " after this red boot" : " as the administrator asked";
    if (next.predecessor) text += fmt::format(" (predecessor {})", quoted(*next.predecessor));
  }
  return text.empty() ? "nothing" : text;
}

std::string describe_version(const DataVersion& version) {
  return fmt::format("write .version: data {}, opened by {} of deployment {} in boot {}, {}",
                     version.version.to_string(), version.opened_by.version.to_string(),
                     quoted(version.opened_by.deployment_id), quoted(version.opened_by.boot_id),
                     to_string(version.status));
}

std::string describe_migration(const Migrate& migrate) {
  std::string text = fmt::format("migrate the data from {} to {}", migrate.begun.migration->from.to_string(),
                                 migrate.begun.migration->to.to_string());
  for (const MigrationStep& step : migrate.steps) text += fmt::format("; {}", step.name);
  return text;
}

}  // namespace

std::string describe(const Action& action) {
  return std::visit(
      Overloaded{
          [](const FinishExchange& finish) {
            return fmt::format("finish the {} of {} that was interrupted",
                               to_string(finish.journal.operation), quoted(finish.journal.destination));
          },
          [](const DiscardCopy& discard) {
            return fmt::format("discard the unfinished copy {} of an interrupted {}",
                               quoted(discard.journal.temporary), to_string(discard.journal.operation));
          },
          [](const RemoveLeftovers& leftovers) {
            return leftovers.found.empty()
                       ? std::string("remove the data that was replaced")
                       : fmt::format("remove what was left behind: {}", quoted_list(leftovers.found));
          },
          [](const MakeBackup& backup) {
            return fmt::format("back up the data to {}{}", quoted(backup.name),
                               backup.becomes_latest ? " and call it the latest" : "");
          },
          [](const RestoreBackup& restore) {
            return fmt::format("restore the data from backup {}", quoted(restore.name));
          },
          [](const SetAside& aside) { return fmt::format("set the data aside as {}", quoted(aside.name)); },
          [](const RemoveBackup& removal) {
            return fmt::format("remove backup {}: {}", quoted(removal.name), removal.why);
          },
          [](const WriteNextBoot& write) {
            return fmt::format("write next_boot: {}", describe_next(write.next));
          },
          [](const RemoveNextBoot&) { return std::string("remove next_boot: nothing is left to do"); },
          [](const WriteVersion& write) { return describe_version(write.version); },
          [](const Migrate& migrate) { return describe_migration(migrate); },
          [](const StopServices& stop) { return fmt::format("stop {}", quoted_list(stop.names)); },
      },
      action);
}

std::string to_text(const Plan& plan) {
  std::string text;
  const auto add = [&](std::string_view row, std::string_view words) {
    text += fmt::format("{:<4} {}\n", row, words);
  };
  for (const Note& note : plan.notes) add(note.row, (note.is_warning ? "warning: " : "") + note.text);
  for (const Step& step : plan.steps) add(step.row, describe(step.action));
  if (plan.looks_again) add("", "read the state again and decide anew");
  if (plan.refusal) add(plan.refusal_row.value_or(""), "refuse to start: " + *plan.refusal);
  if (text.empty()) add("", "nothing to do");
  return text;
}

json::Object to_json(const Plan& plan) {
  json::Array steps;
  for (const Step& step : plan.steps)
    steps.push_back(json::Object{{"row", step.row}, {"action", describe(step.action)}});
  json::Array notes;
  for (const Note& note : plan.notes)
    notes.push_back(json::Object{{"row", note.row}, {"text", note.text}, {"warning", note.is_warning}});
  json::Object object{{"steps", std::move(steps)}, {"notes", std::move(notes)}};
  if (plan.refusal)
    object["refusal"] = json::Object{{"row", plan.refusal_row.value_or("")}, {"text", *plan.refusal}};
  if (plan.looks_again) object["looksAgain"] = true;
  return object;
}

}  // namespace fairway::device
