#!/usr/bin/env python3
"""Checks what the public headers hold and include, by reading them.

    public_headers_test.py ROOT     ROOT is the repository

The textbook methods are opt-in: no public header but textbook.hpp reaches them through what it includes. What the
templates of a public header need is in a header of the same name under impl/, and not in the public header. Comments
use the words of docs/glossary.md.
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".")
INCLUDE = ROOT / "include"
HEADERS = sorted(path.relative_to(INCLUDE) for folder in ("heddle", "heddle/io", "heddle/support") for path in (INCLUDE / folder).glob("*.*h*"))
# The old place of a header, for programs that include it there.
MOVED = {header for header in HEADERS if "// Moved to <" in (INCLUDE / header).read_text()}
PUBLIC = [header for header in HEADERS if header not in MOVED]
INCLUDED = re.compile(r"^\s*#\s*include\s*<(heddle/[^>]+)>", re.MULTILINE)

PRIVATE = re.compile(r"^\s*(inline )?namespace (heddle::)?impl\b", re.MULTILINE)
# Words that comments do not use, and the field's words for them.
WORDS = {
    r"granules?": "vec16", r"strips?": "columns, rows", r"fold(s|ed)?": "reduce", r"by masks": "runtime operator",
    r"what stands": "prefix", r"past (the|its|a) cache": "non-temporal", r"in turn": "in order, alternately",
    r"at last": "then", r"(is|are) spread": "distributed", r"holds? anything": "unspecified",
}

# Headers of patterns include, for a user, the headers of what patterns take.
ENTRY_HEADERS = ("heddle.hpp", "textbook.hpp", "distributed.hpp", "any_distributed.hpp")

TEXTBOOK_HEADERS = {pathlib.Path("heddle") / name for name in ("algorithm.hpp", "textbook.hpp")}


def is_textbook(header):
    """Whether the header has names, costs or code of the textbook methods."""
    return header in TEXTBOOK_HEADERS or "textbook" in str(header)


def includes_of(header):
    return [pathlib.Path(name) for name in INCLUDED.findall((INCLUDE / header).read_text())]


def reached_from(header):
    """The headers of this library that `header` includes, for a host compiler or nvcc, each with the path to it."""
    paths, to_read = {}, [(header, (header,))]
    while to_read:
        current, path = to_read.pop()
        for included in includes_of(current):
            if included not in paths:
                paths[included] = path + (included,)
                to_read.append((included, paths[included]))
    return paths


class PublicHeaders(unittest.TestCase):
    def test_headers_are_found(self):
        self.assertIn(pathlib.Path("heddle/reduce.hpp"), PUBLIC)
        reached = reached_from(pathlib.Path("heddle/textbook.hpp"))
        for part in ("cpu/reduce_tree.hpp", "gpu/scan_blelloch.cuh"):
            self.assertIn(pathlib.Path("heddle/impl/patterns/textbook") / part, reached)

    def test_textbook_methods_are_opt_in(self):
        for header in PUBLIC:
            if is_textbook(header):
                continue
            for found, path in reached_from(header).items():
                self.assertFalse(is_textbook(found), " -> ".join(map(str, path)))

    def test_compiler_hpp_is_first(self):
        """It refuses an older standard than C++20 before anything else is an error."""
        for header in PUBLIC:
            first = header
            while included := re.search(r"^\s*#\s*include\s*<([^>]+)>", (INCLUDE / first).read_text(), re.MULTILINE):
                if first.name == "compiler.hpp":
                    break
                first = pathlib.Path(included.group(1))
                self.assertTrue((INCLUDE / first).exists(), f"{header} includes <{first}> before <heddle/compiler.hpp>")

    def test_a_pattern_includes_no_other_that_it_does_not_need(self):
        self.assertNotIn(pathlib.Path("heddle/reduce.hpp"), reached_from(pathlib.Path("heddle/scan.hpp")))

    def test_each_header_is_of_a_pattern_or_in_a_page(self):
        pages = " ".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
        found = {pathlib.Path("heddle") / name for name in ENTRY_HEADERS}
        for header in set(found):
            found |= set(reached_from(header))
        found |= {header for header in PUBLIC if str(header) in pages}
        self.assertEqual(set(PUBLIC) - found, set(), "document what a program may include, or put it under impl/")

    def test_the_new_places_of_moved_headers_are_used(self):
        for path in sorted(path for ending in ("*.[hc]*", "*.md", "*.py") for folder in ROOT.iterdir() if folder.name not in ("build", ".git")
                           and folder.is_dir() for path in folder.rglob(ending) if path.is_file()):
            for header in MOVED:
                self.assertNotRegex(path.read_text(errors="ignore"), rf"(#include <|see |in ){re.escape(str(header))}", path)

    def test_comments_use_the_words_of_the_glossary(self):
        for header in sorted([*INCLUDE.rglob("*.[hc]*"), *(ROOT / "simulations").rglob("*.[hc]*")]):
            comments = " ".join(re.findall(r"//[/<]*(.*)", header.read_text()))
            for word, wanted in WORDS.items():
                found = re.search(rf"\b{word}\b", comments, re.IGNORECASE)
                self.assertIsNone(found, f"{header}: {found and found.group()!r}: write {wanted}")

    def test_private_declarations_are_under_impl(self):
        found = [str(header) for header in PUBLIC if PRIVATE.search((INCLUDE / header).read_text())]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
