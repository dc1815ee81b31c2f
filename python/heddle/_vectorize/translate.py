"""Functions of numbers as CUDA C++: statements, and the types of local variables along them."""

from __future__ import annotations

import ast
import re
from typing import Any, Callable, NamedTuple

from .expressions import Expressions, Lines
from .source import Source
from .types import BOOL, INT, Type, Value, constant, fits, promoted, same_number


class Variable(NamedTuple):
    """The type of a local variable at a place."""

    type: Type
    is_set: bool = True        # on every way here
    number: Any = None         # where it is always the same Python number
    problem: str | None = None  # why it cannot be read


State = dict[str, Variable]
Edge = tuple[Lines, State]  # lines to be filled with conversions, and what is known there


def _joined(states: list[State]) -> State:
    """The state where several branches meet: each variable has the promotion of its types."""
    result: State = {}
    for name in dict.fromkeys(name for state in states for name in state):
        found = [state[name] for state in states if name in state]
        type, number = found[0].type, found[0].number
        for v in found[1:]:
            type = promoted(type, v.type)
            number = number if same_number(number, v.number) else None
        problem = next((v.problem for v in found if v.problem), None)
        for v in found:
            if number is None and v.number is not None and not fits(v.number, type):
                problem = f"it is {v.number} on one way here and {type} on another, which does not hold that: convert " \
                          "one of them, as in int(…) or numpy.int64(…)"
        result[name] = Variable(type, len(found) == len(states) and all(v.is_set for v in found), number, problem)
    return result


def _flat(lines: Lines) -> Any:
    for line in lines:
        if isinstance(line, list):
            yield from _flat(line)
        else:
            yield line


_RANGE_LENGTH = """HEDDLE_BOTH heddle_size heddle_range_length(long long start, long long stop, long long step) {
  if (step > 0) return start < stop ? ((heddle_size)stop - (heddle_size)start - 1) / (heddle_size)step + 1 : 0;
  return step < 0 && start > stop ? ((heddle_size)start - (heddle_size)stop - 1) / -(heddle_size)step + 1 : 0;
}
"""


class _Loop:
    def __init__(self) -> None:
        self.breaks: list[Edge] = []
        self.continues: list[Edge] = []
        self.passes: State | None = None  # what is known at the end of every pass, where there is one


class Translator(Expressions):
    """One function for one tuple of types."""

    def __init__(self, source: Source, program: Any, kinds: tuple[Type, ...]):
        super().__init__(source, program)
        self.kinds = kinds
        self.names: dict[tuple[str, str], tuple[str, Type]] = {}
        self.state: State | None = {}
        self.loops: list[_Loop] = []
        self.returns: list[tuple[ast.AST, Value]] = []
        self.result: Type | None = None

    def run(self, name: str) -> tuple[str, Type]:
        """The function as C++, and the type of its result, which the first pass finds."""
        self.body()
        self.result = self.type_of_returns()
        self.body()
        parameters = [f"{kind.code} heddle_given_{k}" for k, kind in enumerate(self.kinds)]
        variables = [f"{type.code} {variable} = {type.zero};" for variable, type in self.names.values()]
        text = "\n".join(f"  {line}" for line in [*variables, *_flat(self.lines)])
        return f"HEDDLE_BOTH {self.result.code} {name}({', '.join(parameters)}) {{\n{text}\n}}\n", self.result

    def body(self) -> None:
        self.lines, self.count, self.names, self.returns = [], 0, {}, []
        self.state = {}
        for k, (parameter, kind) in enumerate(zip(self.source.parameters, self.kinds)):
            self.lines.append(f"{self.variable(parameter, kind)} = heddle_given_{k};")
            self.state[parameter] = Variable(kind)
        self.statements(self.source.body)
        if self.state is not None:
            self.source.refuse(self.source.tree, "it can end without a return: return a number on every way",
                               shown=self.source.name)

    def type_of_returns(self) -> Type:
        type = self.returns[0][1].type
        for _, v in self.returns[1:]:
            type = promoted(type, v.type)
        for node, v in self.returns:
            if v.is_constant and not fits(v.number, type):
                self.refuse(node, f"{v.number} does not fit {type}, which the function returns: convert what it returns "
                                  "elsewhere, as in int(…) or numpy.int64(…)")
        return type

    # ---------------------------------------------------------------------------------------------- variables

    def variable(self, name: str, type: Type) -> str:
        """The name of the variable in C++ while it has the type."""
        key = name, type.name
        if key not in self.names:
            word = re.sub(r"\W", "_", name, flags=re.ASCII)
            self.names[key] = f"heddle_v{len(self.names)}_{word}", type
        return self.names[key][0]

    def read(self, node: ast.Name) -> Value:
        assert self.state is not None
        found = self.state.get(node.id)
        if found is None or not found.is_set:
            where = "on every way here" if found is not None or self.loops else "here"
            return self.refuse(node, f"it has no value {where}: give it one before the if or the loop that sets it")
        if found.problem:
            return self.refuse(node, found.problem)
        if found.number is not None:
            return constant(found.number)
        return Value(found.type, self.variable(node.id, found.type), is_name=True)

    def assign(self, name: str, v: Value) -> None:
        assert self.state is not None
        if not v.is_constant or fits(v.number, v.type):
            self.lines.append(f"{self.variable(name, v.type)} = {v.converted(v.type)};")
        self.state[name] = Variable(v.type, number=v.number)

    def convert(self, edges: list[Edge], to: State) -> None:
        """Fills edges with what gives variables the types that they have where the ways meet."""
        for lines, state in edges:
            lines.clear()
            for name, v in to.items():
                own = state.get(name)
                if own is None or v.problem:
                    continue
                is_held = own.number is None or fits(own.number, own.type)
                if is_held and v.type.name == own.type.name:
                    continue
                value = Value(own.type, number=own.number) if own.number is not None else \
                    Value(own.type, self.variable(name, own.type))
                if value.is_constant and not fits(value.number, v.type):
                    continue
                lines.append(f"{self.variable(name, v.type)} = {value.converted(v.type)};")

    def edge(self) -> Edge:
        """A place from which another is reached; nothing goes on here."""
        assert self.state is not None
        lines: Lines = []
        self.lines.append(lines)
        result = lines, self.state
        self.state = None
        return result

    def meet(self, edges: list[Edge]) -> None:
        if not edges:
            self.state = None
            return
        self.state = _joined([state for _, state in edges])
        self.convert(edges, self.state)
        self.state = dict(self.state)

    # --------------------------------------------------------------------------------------------- statements

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.state is None:
                return
            getattr(self, "do_" + type(statement).__name__, self.unknown)(statement)

    def unknown(self, node: ast.stmt) -> None:
        self.refuse(node, "this statement is not supported")

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.refuse(node, "the value is used nowhere, and nothing is printed or changed: assign or return it")

    def do_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self.refuse(node, "a return needs a number")
        if isinstance(node.value, ast.Tuple):
            self.refuse(node, "one number is returned: make a function for each")
        v = self.value(node.value)
        self.returns.append((node, v))
        if self.result is not None:
            self.lines.append(f"return {v.converted(self.result)};")
        self.state = None

    def do_Assign(self, node: ast.Assign) -> None:
        tuples = [t for t in node.targets if isinstance(t, ast.Tuple)]
        if isinstance(node.value, ast.Tuple):
            if len(tuples) != len(node.targets) or any(len(t.elts) != len(node.value.elts) for t in tuples):
                self.refuse(node, "a tuple is assigned to as many names: a, b = b, a")
            values = [self.copied(self.value(e)) for e in node.value.elts]
            for target in tuples:
                for name, v in zip(target.elts, values):
                    self.assign(self.name_of(name), v)
            return
        if tuples:
            self.refuse(node, "a tuple is assigned to as many names: a, b = b, a")
        v = self.value(node.value)
        if len(node.targets) > 1:
            v = self.copied(v)
        for target in node.targets:
            self.assign(self.name_of(target), v)

    def copied(self, v: Value) -> Value:
        """The value as it is now, whatever is assigned to afterwards."""
        return v if v.is_constant else self.named(v._replace(is_name=False))

    def name_of(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Name):
            self.refuse(node, "only local variables are assigned to")
        return node.id

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(self.name_of(node.target), self.value(node.value))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        name = self.name_of(node.target)
        left = self.read(ast.copy_location(ast.Name(name, ast.Load()), node.target))
        self.assign(name, self.binary(node, node.op, left, self.value(node.value)))

    def do_If(self, node: ast.If) -> None:
        test = self.test(node.test)
        if test.is_constant:
            self.statements(node.body if test.number else node.orelse)
            return
        start = self.state
        edges = []
        for line, body in ((f"if ({test.code}) {{", node.body), ("} else {", node.orelse)):
            self.lines.append(line)
            self.state = dict(start or {})
            self.statements(body)
            if self.state is not None:
                edges.append(self.edge())
        self.lines.append("}")
        self.meet(edges)

    def do_While(self, node: ast.While) -> None:
        def begin(loop: _Loop) -> None:
            test = self.test(node.test)
            if test.is_constant and test.number:
                return
            self.leave(loop, f"!{test.code}" if not test.is_constant else "true", dict(self.state or {}))

        self.loop(node.body, begin)

    def do_For(self, node: ast.For) -> None:
        name = self.name_of(node.target)
        call = node.iter
        if not isinstance(call, ast.Call) or self.static(call.func) is not range:
            self.refuse(node.iter, "a for loop goes over range(…)")
        if call.keywords or not 1 <= len(call.args) <= 3:
            self.refuse(call, "range takes one to three integers")
        ends = [self.value(a) for a in call.args]
        for a, v in zip(call.args, ends):
            if not v.type.is_integer and v.type != BOOL:
                self.refuse(a, f"range takes integers, and this is {v.type}: write int(…)")
        start, stop = (constant(0), ends[0]) if len(ends) == 1 else ends[:2]
        step = ends[2] if len(ends) == 3 else constant(1)
        known = [v.number for v in (start, stop, step)]
        if step.is_constant and step.number == 0:
            self.refuse(call, "the step is 0")
        runs = None not in known and len(range(*map(int, known))) > 0
        at, left, by = self.unique("at"), self.unique("left"), self.unique("step")
        codes = [self.attempt(call, lambda v=v: Value(INT, v.converted(INT))).code for v in (start, stop, step)]
        self.lines += ["{", f"long long {at} = {codes[0]};", f"const long long {by} = {codes[2]};",
                       f"heddle_size {left} = heddle_range_length({at}, {codes[1]}, {by});"]

        def begin(loop: _Loop) -> None:
            state = dict(self.state or {})
            if runs:
                # It has run before it ends, so that what every pass sets is set.
                sets = loop.passes or {}
                state = {n: v._replace(is_set=v.is_set or n in sets and sets[n].is_set) for n, v in state.items()}
            self.leave(loop, f"{left} == 0", state if not runs or loop.passes is not None else None)
            self.lines += [f"--{left};", f"{self.variable(name, INT)} = {at};",
                           f"{at} = (long long)((heddle_size){at} + (heddle_size){by});"]
            assert self.state is not None
            self.state[name] = Variable(INT)

        self.loop(node.body, begin)
        self.lines.append("}")

    def leave(self, loop: _Loop, test: str, state: State | None) -> None:
        """Leaves the loop where the test says so, with that state; with None it is never so."""
        if state is None:
            return
        edge: Lines = []
        self.lines += [f"if ({test}) {{", edge, "break;", "}"]
        loop.breaks.append((edge, state))

    def loop(self, body: list[ast.stmt], begin: Callable[[_Loop], None]) -> None:
        """Translates a body until the types at its beginning are those at its end."""
        assert self.state is not None
        entry = self.edge()
        head = entry[1]
        passes: State | None = None
        before = self.lines, self.count, len(self.returns)
        while True:
            self.lines, self.count = [], before[1]
            del self.returns[before[2]:]
            loop = _Loop()
            loop.passes = passes
            self.loops.append(loop)
            self.state = dict(head)
            begin(loop)
            self.statements(body)
            ends = [*loop.continues, *([self.edge()] if self.state is not None else [])]
            self.loops.pop()
            now = _joined([head, *(state for _, state in ends)])
            new_passes = _joined([state for _, state in ends]) if ends else None
            if now == head and new_passes == passes:
                break
            head, passes = now, new_passes
        self.convert([entry, *ends], head)
        lines, self.lines = self.lines, before[0]
        self.lines += ["while (true) {", lines, "}"]
        self.meet(loop.breaks)

    def do_Break(self, node: ast.Break) -> None:
        self.loops[-1].breaks.append(self.edge())
        self.lines.append("break;")

    def do_Continue(self, node: ast.Continue) -> None:
        self.loops[-1].continues.append(self.edge())
        self.lines.append("continue;")


class Program:
    """A function and those that it calls, as CUDA C++."""

    def __init__(self, source: Source) -> None:
        self._sources = {source.function: source}
        self.used: list[Any] = []  # where names outside were found, and what
        self.text = _RANGE_LENGTH
        self._done: dict[Any, tuple[str, Type]] = {}
        self._running: list[Any] = []
        self._count = 0

    def is_running(self, function: Any) -> bool:
        return function in self._running

    def source(self, function: Any) -> Source:
        if function not in self._sources:
            self._sources[function] = Source(function)
        return self._sources[function]

    def function(self, function: Any, kinds: tuple[Type, ...]) -> tuple[str, Type]:
        """The name of the function for these types, and the type of its result."""
        key = function, kinds
        if key not in self._done:
            self._running.append(function)
            self._count += 1
            name = f"heddle_function_{self._count}"
            text, result = Translator(self.source(function), self, kinds).run(name)
            self._running.pop()
            self.text += text
            self._done[key] = name, result
        return self._done[key]
