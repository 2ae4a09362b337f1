#!/usr/bin/env python3
"""Every `fairway …` that a page shows, in a block or in the middle of a sentence, is a command that exists, with options that it has.

What is shown with its output is typed by other tests; here are also those with names to be filled in, on other machines, as root. The commands are those
of docs/reference/commands.md, which docs.reference compares with the binary.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("FAIRWAY_ROOT", pathlib.Path(__file__).resolve().parents[2]))


def known():
    """Options of each command, by its words."""
    text = (ROOT / "docs/reference/commands.md").read_text()
    everywhere = re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", text.split("## Options of every command")[1].split("\n## ")[0])
    found = {}
    for section in text.split("\n## fairway ")[1:]:
        words, _, body = section.partition("\n")
        rows = "\n".join(line.split(" | ")[0] for line in body.splitlines() if line.startswith("| `"))
        found[tuple(words.split())] = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", rows)) | set(everywhere)
    found[("options",)] = found[("help",)] = set(everywhere)
    return found


def shown(page):
    """Lines of blocks, with those that a backslash continues; and code in sentences."""
    text = page.read_text()
    for block in re.findall(r"^ *```(?:sh|console|text)?\n(.*?)^ *```", text, re.M | re.S):
        yield from block.replace("\\\n", " ").splitlines()
    outside = re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)
    yield from re.findall(r"^    (\S.*)$", outside, re.M)
    yield from (" ".join(each.split()) for each in re.findall(r"`([^`]+)`", outside.replace("\\|", "|")))


def commands(line):
    """Each that the line starts: after a prompt, in a pipe, behind a kubectl."""
    for each in re.split(r"[;&|]+ |\$\(|<\(", re.sub(r"^\$ ", "", line.strip())):
        found = re.match(r"(?:\w+=\S+ )*(?:\S*/)?(?:kubectl )?fairway( .*|$)", each.strip(" ()"))
        if found:
            yield re.split(r"(?:^|\s)(?:#|>|<|2>|-- )", found.group(1))[0].strip()


def problem(command, options):
    words = []
    for word in command.split():
        if tuple(words + [word]) not in options:
            break
        words.append(word)
    rest = command.split()[len(words):]
    if not words:
        is_prose = not rest or not re.fullmatch(r"[a-z][a-z-]*", rest[0])
        return None if is_prose else f"there is no command {rest[0]!r}"
    if any(len(each) == len(words) + 1 and list(each[:-1]) == words for each in options) and rest and re.fullmatch(r"[a-z][a-z-]+", rest[0]):
        if not any(each[:len(words)] == tuple(words) and len(each) > len(words) and each[len(words)] == rest[0].rstrip(",") for each in options):
            return f"{' '.join(words)} has no command {rest[0]!r}"
    unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", " ".join(rest))
    for flag in re.findall(r"(?<=[\s\[])(--[a-z][a-z-]*)", " " + unquoted):
        if flag not in options[tuple(words)]:
            return f"{' '.join(words)} has no option {flag}"
    return None


def main():
    options = known()
    pages = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md", ROOT / "CONTRIBUTING.md"] + sorted((ROOT / "deploy").rglob("README.md"))
    count, found = 0, []
    for page in pages:
        for line in shown(page):
            for command in commands(line):
                count += 1
                wrong = problem(command, options)
                if wrong:
                    found.append(f"{page.relative_to(ROOT)}: fairway {command}: {wrong}")
    # It can fail.
    for wrong in ("upgrade --too 4.7.4", "graph shew", "sail", "rollout pause x --thaw"):
        if problem(wrong, options) is None:
            found.append(f"the check lets fairway {wrong} pass")
    if count < 300:
        found.append(f"only {count} commands were found")
    print("\n".join(found) or f"{count} commands, all of them there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
