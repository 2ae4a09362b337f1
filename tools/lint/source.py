"""What the lints share: finding the project's C++ files and reading them without comments and literals."""

import os
import re
import sys

SUFFIXES = (".hpp", ".cpp")


def files(root, *folders):
    """The C++ files below the folders, as paths from the root, sorted."""
    found = []
    for folder in folders:
        for directory, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith(SUFFIXES):
                    found.append(os.path.relpath(os.path.join(directory, name), root))
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


_TOKENS = re.compile(
    r"""
      //[^\n]*                                          # comment to the end of the line
    | /\*.*?\*/                                         # comment
    | R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"      # raw literal
    | "(?:\\.|[^"\\\n])*"                               # literal
    | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'              # character, not the quote inside 10'000
    """,
    re.VERBOSE | re.DOTALL,
)


def without_comments(text, keep_literals=False):
    """The text with comments (and literals) blanked out; every character keeps its line and column."""

    def blank(match):
        token = match.group(0)
        if keep_literals and not token.startswith("/"):
            return token
        return re.sub(r"[^\n]", " ", token)

    return _TOKENS.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def root_from_arguments(arguments):
    """The project's root: the argument, or the folder above tools/."""
    if len(arguments) > 2:
        sys.exit(f"usage: {os.path.basename(arguments[0])} [ROOT]")
    if len(arguments) == 2:
        return arguments[1]
    return os.path.dirname(os.path.dirname(os.path.abspath(arguments[0])))


def report(name, findings, checked):
    """Prints the findings as FILE:LINE: TEXT and ends the program; nothing checked is a failure too."""
    for path, line, text in sorted(findings):
        print(f"{path}:{line}: {text}")
    if not checked:
        sys.exit(f"{name}: no C++ file found: is the root right?")
    if findings:
        sys.exit(f"{name}: {len(findings)} found in {checked} files")
    print(f"{name}: {checked} files, nothing found")
