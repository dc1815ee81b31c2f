"""The syntax tree of a function, what its names stand for, and refusals that name a place."""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import os
import types
import warnings
from typing import Any, NoReturn

MISSING = object()
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # which a notebook's cell may have

# Statements that no function may have, and what to do instead.
_REFUSED: dict[type, tuple[str, str]] = {
    ast.Try: ("try", "no element raises an error: test the value with if"),
    ast.Raise: ("raise", "no element raises an error: return a value such as math.nan"),
    ast.Assert: ("assert", "no element raises an error: test the arrays before the call"),
    ast.With: ("with", "only numbers are computed: put it around the call"),
    ast.Import: ("import", "import at the top of the module"),
    ast.ImportFrom: ("import", "import at the top of the module"),
    ast.Global: ("global", "an element changes no variable of the module: return the value"),
    ast.Nonlocal: ("nonlocal", "an element changes no variable outside: return the value"),
    ast.FunctionDef: ("a function inside", "define it at the top of the module"),
    ast.AsyncFunctionDef: ("async", "only plain functions are translated"),
    ast.Lambda: ("lambda", "define a function at the top of the module"),
    ast.ClassDef: ("class", "only numbers are computed: use local variables"),
    ast.Delete: ("del", "local variables end with the function: leave it out"),
    ast.ListComp: ("a list", "write a for loop over range(…)"),
    ast.SetComp: ("a set", "write a for loop over range(…)"),
    ast.DictComp: ("a dict", "write a for loop over range(…)"),
    ast.GeneratorExp: ("a generator", "write a for loop over range(…)"),
    ast.List: ("a list", "use local variables"),
    ast.Dict: ("a dict", "use if and elif"),
    ast.Set: ("a set", "compare with each number: x == 1 or x == 2"),
    ast.Subscript: ("a subscript", "pass the element as an argument"),
    ast.JoinedStr: ("a string", "only numbers are computed"),
    ast.Await: ("await", "only plain functions are translated"),
    ast.AsyncFor: ("async", "only plain functions are translated"),
    ast.AsyncWith: ("async", "only plain functions are translated"),
    ast.Yield: ("yield", "return one number"),
    ast.YieldFrom: ("yield", "return one number"),
    ast.Starred: ("*", "write the arguments out"),
    ast.NamedExpr: (":=", "assign in a statement of its own"),
    ast.Match: ("match", "use if and elif"),
    ast.MatMult: ("@", "only numbers are computed: heddle.matmul multiplies matrices"),
    ast.Is: ("is", "compare with =="),
    ast.IsNot: ("is not", "compare with !="),
    ast.In: ("in", "compare with each number: x == 1 or x == 2"),
    ast.NotIn: ("not in", "compare with each number: x != 1 and x != 2"),
}
for _name, _words in (("TryStar", "try"), ("TemplateStr", "a string")):
    if hasattr(ast, _name):
        _REFUSED[getattr(ast, _name)] = (_words, "only numbers are computed")


@functools.lru_cache(maxsize=64)
def _module_tree(text: str, filename: str) -> tuple[ast.Module, tuple[types.CodeType, ...]]:
    """A file's tree, and the code of all functions in it."""
    def inside(code: types.CodeType) -> Any:
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                yield constant
                yield from inside(constant)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, filename), tuple(inside(compile(text, filename, "exec", _FLAGS, True)))


def _facts(code: types.CodeType) -> Any:
    numbers = [c for c in code.co_consts if not isinstance(c, types.CodeType)]
    return code.co_code, repr(numbers), code.co_names, code.co_varnames


class Source:
    """A plain Python function as it is written."""

    def __init__(self, function: Any):
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"vectorize takes a plain Python function, and {function!r} is none: wrap it in one")
        self.function = function
        self.name = function.__name__
        code = function.__code__
        self.filename = code.co_filename
        self.tree = self._found(code)
        self.body: list[ast.stmt]
        if isinstance(self.tree, ast.Lambda):
            self.body = [ast.copy_location(ast.Return(self.tree.body), self.tree.body)]
        else:
            self.body = self.tree.body
        self.parameters = self._parameters()
        self.locals = {*self.parameters}
        for node in self._nodes():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.locals.add(node.id)
        self._check()

    def _found(self, code: types.CodeType) -> Any:
        lines = linecache.getlines(self.filename, self.function.__globals__)
        if not lines:
            raise TypeError(f"{self.filename}: the source of {self.name} cannot be read: define it in a file or in a "
                            "notebook's cell")
        text = "".join(lines)
        try:
            module, compiled = _module_tree(text, self.filename)
        except SyntaxError:
            raise self._stale() from None
        found = []
        for node in ast.walk(module):
            if isinstance(node, ast.Lambda) and code.co_name == "<lambda>" or \
                    isinstance(node, ast.FunctionDef) and node.name == code.co_name:
                first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
                if first == code.co_firstlineno:
                    found.append(node)
        if len(found) > 1:
            places = {p[:1] + p[2:3] for p in code.co_positions() if p[2] is not None}
            found = [n for n in found if isinstance(n, ast.Lambda) and (n.body.lineno, n.body.col_offset) in places]
        same = [c for c in compiled if c.co_firstlineno == code.co_firstlineno and c.co_name == code.co_name]
        if len(found) != 1 or not any(_facts(c) == _facts(code) for c in same):
            raise self._stale()
        return found[0]

    def _stale(self) -> TypeError:
        return TypeError(f"{self.filename}: the file has not the source of {self.name} that runs: import it again")

    def _nodes(self) -> Any:
        """All nodes of the body, but not what is inside functions and annotations."""
        waiting: list[ast.AST] = list(reversed(self.body))
        while waiting:
            node = waiting.pop()
            yield node
            if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.AsyncFunctionDef)):
                continue
            for name, field in ast.iter_fields(node):
                if name in ("annotation", "type_comment"):
                    continue
                children = field if isinstance(field, list) else [field]
                waiting.extend(child for child in reversed(children) if isinstance(child, ast.AST))

    def _parameters(self) -> list[str]:
        given = self.tree.args
        if given.vararg or given.kwarg or given.kwonlyargs:
            self.refuse(self.tree, "parameters are plain names: write *, ** and keyword-only ones out", shown=self.name)
        return [a.arg for a in (*given.posonlyargs, *given.args)]

    def _check(self) -> None:
        body = self.body
        for node in self._nodes():
            if type(node) in _REFUSED:
                construct, remedy = _REFUSED[type(node)]
                self.refuse(node, f"{construct} is not supported: {remedy}")
            for operator in [*getattr(node, "ops", []), getattr(node, "op", None)]:
                if type(operator) in _REFUSED:
                    construct, remedy = _REFUSED[type(operator)]
                    self.refuse(node, f"'{construct}' is not supported: {remedy}")
            if isinstance(node, (ast.For, ast.While)) and node.orelse:
                self.refuse(node.orelse[0], "else of a loop is not supported: set a variable before break, and test it "
                                            "after the loop")
            if isinstance(node, ast.Constant) and not isinstance(node.value, (bool, int, float, complex)):
                is_docstring = isinstance(body[0], ast.Expr) and body[0].value is node
                if isinstance(node.value, (str, bytes)) and not is_docstring:
                    self.refuse(node, "a string is not supported: only numbers are computed")
                if node.value is None:
                    self.refuse(node, "None is no number: return one such as math.nan, or compare with a number")

    # ---------------------------------------------------------------------------------------------- refusals

    def text_of(self, node: Any) -> str:
        text = " ".join(ast.unparse(node).split())
        return text if len(text) <= 60 else text[:57] + "…"

    def refuse(self, node: Any, message: str, shown: str | None = None) -> NoReturn:
        line = getattr(node, "lineno", self.tree.lineno)
        near = os.path.relpath(self.filename) if os.path.isabs(self.filename) else self.filename
        where = self.filename if near.startswith("..") else near
        raise TypeError(f"{where}:{line}: {self.name}: `{shown or self.text_of(node)}`: {message}") from None

    # ------------------------------------------------------------------------------------------------- names

    def look_up(self, name: str, used: list[Any]) -> Any:
        """The value of a name that is not local, or MISSING; notes where it is from, so that changes are seen."""
        function = self.function
        if name in function.__code__.co_freevars:
            cell = function.__closure__[function.__code__.co_freevars.index(name)]
            try:
                found = cell.cell_contents
            except ValueError:
                return MISSING
            used.append((cell, None, found))
            return found
        found = function.__globals__.get(name, MISSING)
        used.append((function.__globals__, name, found))
        return getattr(builtins, name, MISSING) if found is MISSING else found

    def member(self, owner: Any, name: str, used: list[Any]) -> Any:
        found = getattr(owner, name, MISSING)
        used.append((owner, name, found))
        return found


def is_current(used: list[Any]) -> bool:
    """Whether the names that a translation took from outside still stand for the same."""
    for owner, name, found in used:
        if name is None:
            try:
                now = owner.cell_contents
            except ValueError:
                return False
        else:
            now = owner.get(name, MISSING) if isinstance(owner, dict) else getattr(owner, name, MISSING)
        if now is not found:
            return False
    return True
