#!/usr/bin/env python3
"""Checks the pages: their length, the words of a paragraph and of a cell, what a pattern's page has, and links.

    pages_test.py ROOT     ROOT is the repository

A paragraph is a run of lines of text, or one item of a list. Tables, code blocks and headings are not paragraphs. Cells
of tables in the guide and the reference have a limit of their own. Each page must be linked from another. The
page of a pattern, docs/reference/NAME.md for include/heddle/NAME.hpp, has a sample, a contract, errors and costs.
"""
import pathlib
import re
import sys

PAGES_WITH_LINKS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md")
MOST_LINES = {"docs/results": 250, "docs": 150}  # the first folder that holds the page counts
MOST_WORDS = 80
MOST_WORDS_OF_A_CELL = 40
HEADINGS_OF_A_PATTERN = ("Contract", "Errors", "Cost")
NO_PATTERNS = ("operators",)  # headers with a page that are none
# Words of the library's own making, for which the field has others.
PRIVATE_WORDS = re.compile(r"\b(granules?|rungs?|strips?|folds?|folded|by masks|what stands|past (the|its|a) cache|holds? anything)\b",
                           re.IGNORECASE)

FENCE = re.compile(r"[ ]*(```|~~~)")
HEADING = re.compile(r"#{1,6} +(.*?)[ #]*$")
ITEM = re.compile(r"[ ]*([-*+]|\d+[.)]) +")
LINK = re.compile(r"\]\(([^()\s]+)\)")


class Page:
    """A page's lines by what they are, each with its number."""

    def __init__(self, root, path):
        self.path = path
        self.lines = (root / path).read_text().splitlines()
        self.headings, self.rows, self.paragraphs = [], [], []
        self.languages = set()
        is_code = is_open = False
        for number, line in enumerate(self.lines, 1):
            if fence := FENCE.match(line):
                is_code, is_open = not is_code, False
                self.languages |= set(line[fence.end():].split()[:1])
            elif is_code:
                pass
            elif heading := HEADING.match(line):
                self.headings.append((number, heading.group(1)))
                is_open = False
            elif line.lstrip().startswith("|"):
                self.rows.append((number, line))
                is_open = False
            elif not line.strip() or line.startswith("<!--"):
                is_open = False
            elif is_open and not ITEM.match(line):
                self.paragraphs[-1][1].append(line)
            else:
                self.paragraphs.append((number, [ITEM.sub("", line)]))
                is_open = True

    @property
    def anchors(self):
        """The headings as GitHub names them in addresses."""
        names = []
        for _, text in self.headings:
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
            name = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
            names.append(f"{name}-{names.count(name)}" if name in names else name)
        return names

    @property
    def prose(self):
        """Lines outside of code, with their numbers."""
        return self.headings + self.rows + [(number, " ".join(lines)) for number, lines in self.paragraphs]


def is_within(path, folder):
    return pathlib.PurePath(folder) in path.parents


def faults_of_form(page):
    limit = next((limit for folder, limit in MOST_LINES.items() if is_within(page.path, folder)), None)
    if limit is not None and len(page.lines) > limit:
        yield f"{page.path}: {len(page.lines)} lines, where {limit} are the most"
    if not is_within(page.path, "docs") or is_within(page.path, "docs/results"):
        return
    for number, lines in page.paragraphs:
        words = len(" ".join(lines).split())
        if words > MOST_WORDS:
            yield f"{page.path}:{number}: a paragraph of {words} words, where {MOST_WORDS} are the most"
    if page.path.parts[1] not in ("guide", "reference"):
        return
    for number, row in page.rows:
        for cell in re.split(r"(?<!\\)\|", row):
            if len(cell.split()) > MOST_WORDS_OF_A_CELL:
                yield f"{page.path}:{number}: a cell of {len(cell.split())} words, where {MOST_WORDS_OF_A_CELL} are the most"
    for number, text in page.prose:
        if found := PRIVATE_WORDS.search(re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)):
            yield f"{page.path}:{number}: '{found.group()}': say it in the field's words"


def faults_of_pattern(root, page):
    if page.path.parent != pathlib.Path("docs/reference") or page.path.stem in NO_PATTERNS:
        return
    if not (root / "include/heddle" / f"{page.path.stem}.hpp").exists():
        return
    if not page.languages & {"cpp", "cuda"}:
        yield f"{page.path}: no sample in C++"
    for heading in HEADINGS_OF_A_PATTERN:
        if heading not in [text for _, text in page.headings]:
            yield f"{page.path}: no section '{heading}'"


def faults_of_links(root, page, page_at):
    for number, text in page.prose:
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            at = (root / page.path.parent / file).resolve() if file else (root / page.path).resolve()
            if not at.exists():
                yield f"{page.path}:{number}: {target}: there is no such file"
            elif anchor and at.suffix == ".md" and anchor not in page_at(at).anchors:
                yield f"{page.path}:{number}: {target}: there is no such heading"


def pages_without_links(root, pages):
    """The pages of docs/ to which no page leads; a README is seen with its folder."""
    linked = set()
    for page in pages.values():
        for _, text in page.prose:
            linked |= {(root / page.path.parent / target.partition("#")[0]).resolve() for target in LINK.findall(text)
                       if not target.startswith("#")}
    return [page.path for at, page in pages.items()
            if is_within(page.path, "docs") and page.path.name != "README.md" and at not in linked]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    paths = [pathlib.Path(name) for name in PAGES_WITH_LINKS if (root / name).exists()]
    paths += sorted(path.relative_to(root) for path in root.glob("docs/**/*.md"))
    pages = {(root / path): Page(root, path) for path in paths}

    def page_at(at):
        return pages[at] if at in pages else Page(root, at.relative_to(root))

    faults = [fault for page in pages.values() for fault in
              (*faults_of_form(page), *faults_of_pattern(root, page), *faults_of_links(root, page, page_at))]
    faults += [f"{path}: no page leads here" for path in pages_without_links(root, pages)]
    for fault in faults:
        print(fault)
    print(f"{len(pages)} pages, {len(faults)} faults")
    sys.exit(bool(faults))


main()
