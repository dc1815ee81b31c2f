#!/usr/bin/env python3
"""Checks that a folder has at most 40 files, a file 500 lines and a function 80 lines.

    sizes_test.py ROOT [--write]     ROOT is the repository; --write lists what is larger now

sizes_exceptions.txt, beside this file, lists larger ones with their sizes. Nothing may grow beyond its entry. An entry above the size is an error
too, so the list only shrinks.
"""
import ast
import pathlib
import re
import subprocess
import sys

MOST_FILES, MOST_LINES, MOST_LINES_OF_A_FUNCTION = 40, 500, 80
CODE = {".cpp", ".hpp", ".cu", ".cuh", ".py", ".js"}
EXCEPTIONS = pathlib.Path(__file__).with_name("sizes_exceptions.txt")
# Comments and literals: braces in them do not count. Newlines are kept, because lines are counted.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                     re.DOTALL | re.MULTILINE)
TEMPLATE = re.compile(r"\btemplate\s*<[^()]*?>|\b(?:__launch_bounds__|__attribute__|alignas|requires|decltype|noexcept)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")


def without_literals(text):
    return NO_CODE.sub(lambda found: "\n" * found[0].count("\n"), text)


def kind_of(head):
    """The kind of block that an opening brace after this text begins, outside functions."""
    head = TEMPLATE.sub(" ", head)
    if re.search(r"\bnamespace\b", head) or "extern" in head and "(" not in head:
        return "scope"
    if re.search(r"\b(class|struct|union|enum)\b[^()=]*$|^\s*(class|struct|union|enum)\b.*:[^:]", head, re.DOTALL):
        return "scope"
    if re.search(r"\)[^{}?]*(?<!:):(?!:).*[\w>]\s*$", head, re.DOTALL):
        return "other"  # a member that a constructor initialises
    return "function" if "(" in head and not re.search(r"=\s*$", head) else "other"


def functions_of(text):
    """Yields the name and the number of lines of each C++ function that is not inside another function."""
    text = without_literals(text)
    scopes, begin = [], 0
    for found in re.finditer(r"[{};]", text):
        at, brace = found.start(), found[0]
        if brace == "{":
            head = text[begin:at]
            kind = "inner" if scopes and scopes[-1][0] != "scope" else kind_of(head)
            scopes.append((kind, head, begin))
            if kind in ("inner", "other"):
                continue  # a list in braces neither begins nor ends a statement
        elif brace == "}" and scopes:
            kind, head, first = scopes.pop()
            if kind == "function":
                lines = text.count("\n", first + len(head) - len(head.lstrip()), at) + 1
                name = re.search(r"([\w~]+|operator\S+)\s*\(([^()]*)", TEMPLATE.sub(" ", head))
                shown = name[1] if name else head.strip()
                if shown.startswith("TEST"):
                    shown += "(" + " ".join(name[2].split()) + ")"
                yield shown, lines
            elif kind in ("inner", "other"):
                continue
        begin = at + 1
    assert not scopes, f"a brace is not closed after: {scopes[0][1].strip()[:80]}"


def functions_of_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.end_lineno - node.lineno + 1


def too_large(root):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
    paths = [pathlib.Path(name) for name in listed.stdout.splitlines() if (root / name).is_file()]
    sizes = {}
    for path in paths:
        folder = f"files of {path.parent}"
        sizes[folder] = sizes.get(folder, 0) + 1
    sizes = {what: size for what, size in sizes.items() if size > MOST_FILES}
    for path in paths:
        if path.suffix not in CODE:
            continue
        text = (root / path).read_text()
        if (lines := len(text.splitlines())) > MOST_LINES:
            sizes[f"lines of {path}"] = lines
        if path.suffix != ".js":
            for name, lines in (functions_of_python if path.suffix == ".py" else functions_of)(text):
                if lines > MOST_LINES_OF_A_FUNCTION:
                    key = f"lines of {path} {name}"
                    sizes[key] = max(sizes.get(key, 0), lines)
    return sizes


def checks_itself():
    long = "\n".join(["template <class T>", "void f(int x) {", "  const char* text = \"}\";  // }", *["  g({1, 2});"] * 90, "}"])
    assert dict(functions_of("namespace a {\nstruct b {\n" + long + "\n};\n}")) == {"f": 94}, dict(functions_of(long))
    assert dict(functions_of("int a[] = {1, 2};\nb::b() : c{1}, d(2) {\n}\nTEST(x,\n     y) {\n}")).keys() == {"b", "TEST(x, y)"}


def main():
    checks_itself()
    root = pathlib.Path(sys.argv[1]).resolve()
    if not (root / ".git").exists():
        print("skipped: git lists the files, and this is no checkout")
        sys.exit(77)
    found = too_large(root)
    if "--write" in sys.argv:
        EXCEPTIONS.write_text("".join(f"{size} {what}\n" for what, size in sorted(found.items())))
    allowed = {what: int(size) for size, what in (line.split(" ", 1) for line in EXCEPTIONS.read_text().splitlines())}
    limits = f"at most {MOST_FILES} files, {MOST_LINES} lines of a file, {MOST_LINES_OF_A_FUNCTION} lines of a function are"
    wrong = [f"{size} {what}: {allowed.get(what, limits)} allowed"
             for what, size in found.items() if size > allowed.get(what, 0)]
    wrong += [f"{size} {what}: write {found.get(what, 'no line')} into {EXCEPTIONS.name}" for what, size in allowed.items() if found.get(what, 0) < size]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(bool(wrong))


main()
