// Program: the whole command line as one function, so that tests call it as a shell does.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted. A command whose answer is a verdict, such as
// `promql check`, says in its help what 1 and 2 mean there.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace fairway::cli {

enum class ExitCode : int { Done = 0, Failed = 1, WrongUsage = 2, Interrupted = 130 };

// `arguments` starts with the name that the program was called by.
ExitCode run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

// "fairway"; "kubectl fairway" when called as the kubectl plugin.
std::string program_name(std::string_view called_as);

}  // namespace fairway::cli
