#!/usr/bin/env python3
"""Every relative link of the project's pages leads to a file that is there, and to a heading that it has. Every picture has a text."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("FAIRWAY_ROOT", pathlib.Path(__file__).resolve().parents[2]))


def plain(page):
    """Without what is code: brackets there are no links."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "`x`", text)


def headings(page):
    """As the anchors of the usual renderers: lower case, without marks, dashes for spaces."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in re.findall(r"^#+ (.*)$", text, re.M)}


def problems(page):
    for mark, text, target in re.findall(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", plain(page)):
        if mark and not text.strip():
            yield f"the picture {target} has no text"
        if re.match(r"[a-z]+:", target):
            if mark:
                yield f"the picture {target} is of another host"
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists():
            yield f"{target} is not there"
        elif anchor and there.suffix == ".md" and anchor not in headings(there):
            yield f"{target}: there is no such heading"


def is_reachable(pages):
    """From docs/README.md, over links."""
    seen, new = set(), [ROOT / "docs/README.md"]
    while new:
        page = new.pop()
        if page in seen or page.suffix != ".md" or not page.exists():
            continue
        seen.add(page)
        new += [(page.parent / target.partition("#")[0]).resolve() for _, _, target in re.findall(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", plain(page))
                if not re.match(r"[a-z]+:|#", target)]
    return [page for page in pages if page not in seen]


def main():
    pages = sorted((ROOT / "docs").rglob("*.md"))
    beside = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")] + sorted((ROOT / "deploy").rglob("README.md"))
    found = [f"{page.relative_to(ROOT)}: {each}" for page in pages + beside for each in problems(page)]
    found += [f"{page.relative_to(ROOT)}: no page leads here from docs/README.md" for page in is_reachable(pages)]
    print("\n".join(found) or f"{len(pages) + len(beside)} pages: every link leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
