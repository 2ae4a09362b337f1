"""Checks that say what they expected, and trees of files as one text."""

import hashlib
import os

checks = 0


class Failure(Exception):
    pass


def expect(condition, what, *details):
    global checks
    checks += 1
    if not condition:
        raise Failure("\n  ".join([what, *[str(each) for each in details]]))


def equal(found, wanted, what):
    expect(found == wanted, what, f"expected: {wanted}", f"found:    {found}")


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def read(path):
    with open(path) as file:
        return file.read()


def entry_facts(path, relative, first_names):
    facts = os.lstat(path)
    parts = [relative, oct(facts.st_mode), facts.st_uid, facts.st_gid]
    for name in sorted(os.listxattr(path, follow_symlinks=False)):
        parts += [name, os.getxattr(path, name, follow_symlinks=False).hex()]
    written_when = [] if relative.startswith("manifests") else [facts.st_mtime_ns]  # a migration's rewrite has its own time
    if os.path.islink(path):
        parts.append(os.readlink(path))
    elif os.path.isdir(path):
        if relative:  # the top changes with .version
            parts += written_when
    elif os.path.isfile(path):
        with open(path, "rb") as file:
            parts += [*written_when, hashlib.sha256(file.read()).hexdigest()]
        if facts.st_nlink > 1:
            parts.append(first_names.setdefault(facts.st_ino, relative))
    return repr(parts)


def digest(tree, skip=()):
    """One text for all that a copy has to keep; None when there is nothing."""
    if not os.path.isdir(tree):
        return None
    lines, first_names = [entry_facts(tree, "", {})], {}
    for folder, folders, files in os.walk(tree):
        folders.sort()
        for name in sorted(folders + files):
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, tree)
            if relative not in skip:
                lines.append(entry_facts(path, relative, first_names))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def snapshot(tree):
    """Everything that a write would change: names, inodes, times."""
    found = {}
    for folder, folders, files in os.walk(tree):
        for name in folders + files + ["."]:
            facts = os.lstat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = (facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)
    return found
