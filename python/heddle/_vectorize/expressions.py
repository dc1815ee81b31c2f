"""Expressions of translated functions."""

from __future__ import annotations

import ast
import inspect
import operator
import types
from typing import Any, Callable

import numpy as np

from .calls import Callee, Refused, callee, extremum
from .source import MISSING, Source
from .types import BOOL, INT, Type, Value, constant, of_dtype, operate, promoted, same_number

_BINARY: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("subtract", operator.sub), ast.Mult: ("multiply", operator.mul),
    ast.Div: ("divide", operator.truediv), ast.FloorDiv: ("floor_divide", operator.floordiv),
    ast.Mod: ("remainder", operator.mod), ast.Pow: ("power", operator.pow),
    ast.LShift: ("left_shift", operator.lshift), ast.RShift: ("right_shift", operator.rshift),
    ast.BitAnd: ("bitwise_and", operator.and_), ast.BitOr: ("bitwise_or", operator.or_),
    ast.BitXor: ("bitwise_xor", operator.xor),
}
_UNARY: dict[type, tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("negative", operator.neg), ast.UAdd: ("positive", operator.pos), ast.Invert: ("invert", operator.invert),
}
_COMPARISONS: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("equal", operator.eq), ast.NotEq: ("not_equal", operator.ne), ast.Lt: ("less", operator.lt),
    ast.LtE: ("less_equal", operator.le), ast.Gt: ("greater", operator.gt), ast.GtE: ("greater_equal", operator.ge),
}

Lines = list[Any]  # of text, and of lines in their place


class Expressions:
    """Translates expressions; what they need before them goes to `lines`."""

    def __init__(self, source: Source, program: Any):
        self.source = source
        self.program = program
        self.lines: Lines = []
        self.count = 0

    def read(self, node: ast.Name) -> Value:
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------- places

    def refuse(self, node: ast.AST, message: str) -> Any:
        self.source.refuse(node, message)

    def unique(self, what: str) -> str:
        self.count += 1
        return f"heddle_{what}_{self.count}"

    def attempt(self, node: ast.AST, compute: Callable[[], Value]) -> Value:
        """The result of compute(); errors of operators name the place."""
        try:
            return compute()
        except (Refused, ValueError, ArithmeticError, TypeError) as e:
            return self.refuse(node, str(e))

    def named(self, v: Value) -> Value:
        """The value under a name, so that it is computed once."""
        if v.is_constant or v.is_name:
            return v
        name = self.unique("value")
        self.lines.append(f"const {v.type.code} {name} = {v.code};")
        return Value(v.type, name, is_name=True)

    def aside(self, translate: Callable[[], Value]) -> tuple[Lines, Value]:
        """A value, and the lines before it, which are for it alone."""
        before, self.lines = self.lines, []
        value = translate()
        before, self.lines = self.lines, before
        return before, value

    def choice(self, test: str, first: tuple[Lines, str], second: tuple[Lines, str], type: Type) -> str:
        """`test ? first : second`, where only what is chosen is computed."""
        if not first[0] and not second[0]:
            return f"({test} ? {first[1]} : {second[1]})"
        name = self.unique("value")
        self.lines += [f"{type.code} {name} = {type.zero};", f"if ({test}) {{", first[0], f"{name} = {first[1]};",
                       "} else {", second[0], f"{name} = {second[1]};", "}"]
        return name

    # -------------------------------------------------------------------------------------------- conditions

    def test(self, node: ast.expr) -> Value:
        """Whether a value is true: code of bool, or a known bool."""
        if isinstance(node, ast.BoolOp):
            return self.all_or_any(node, [lambda n=n: self.test(n) for n in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            v = self.test(node.operand)
            return constant(not v.number) if v.is_constant else Value(BOOL, f"(!{v.code})")
        v = self.value(node)
        return constant(bool(v.number)) if v.is_constant else Value(BOOL, v.converted(BOOL))

    def all_or_any(self, node: ast.BoolOp, tests: list[Callable[[], Value]], is_all: bool | None = None) -> Value:
        is_all = isinstance(node.op, ast.And) if is_all is None else is_all
        code = ""
        for translate in tests:
            lines, v = self.aside(translate)
            if v.is_constant:
                self.lines += lines
                if bool(v.number) == is_all:
                    continue
                # The operands before it have no effects.
                return constant(not is_all)
            if not code:
                self.lines += lines
                code = v.code
            elif is_all:
                code = self.choice(code, (lines, v.code), ([], "false"), BOOL) if lines else f"({code} && {v.code})"
            else:
                code = self.choice(code, ([], "true"), (lines, v.code), BOOL) if lines else f"({code} || {v.code})"
        return Value(BOOL, code) if code else constant(is_all)

    # ------------------------------------------------------------------------------------------- expressions

    def value(self, node: ast.expr) -> Value:
        translate = getattr(self, "value_of_" + type(node).__name__, None)
        if translate is None:
            return self.refuse(node, "it is not supported: only numbers are computed")
        return translate(node)

    def value_of_Constant(self, node: ast.Constant) -> Value:
        return constant(node.value)

    def value_of_Name(self, node: ast.Name) -> Value:
        if node.id in self.source.locals:
            return self.read(node)
        return self.number_of(node, self.static(node))

    def value_of_Attribute(self, node: ast.Attribute) -> Value:
        found = self.static(node)
        if found is not MISSING:
            return self.number_of(node, found)
        if node.attr not in ("real", "imag"):
            return self.refuse(node, "a number has .real, .imag and .conjugate() here")
        v = self.value(node.value)
        if v.is_constant:
            return constant(getattr(v.number, node.attr))
        return self.attempt(node, lambda: operate(node.attr, v))

    def static(self, node: ast.expr) -> Any:
        """The object outside the function that a name or a dotted name refers to, or MISSING for a value."""
        if isinstance(node, ast.Name):
            if node.id in self.source.locals:
                return MISSING
            found = self.source.look_up(node.id, self.program.used)
            if found is MISSING:
                self.refuse(node, "nothing has this name")
            return found
        if isinstance(node, ast.Attribute):
            owner = self.static(node.value)
            if owner is MISSING or isinstance(owner, (int, float, complex, np.generic)):
                return MISSING
            found = self.source.member(owner, node.attr, self.program.used)
            if found is MISSING:
                self.refuse(node, "there is no such member")
            return found
        return MISSING

    def number_of(self, node: ast.expr, found: Any) -> Value:
        if isinstance(found, np.generic):
            strong = self.attempt(node, lambda: of_dtype(found.dtype))
            return Value(strong, constant(found.item()).converted(strong), is_name=True)
        for kind in (bool, int, float, complex):
            if isinstance(found, kind):
                return constant(kind(found))
        if isinstance(found, np.ndarray):
            return self.refuse(node, "an array is no number: pass it as an argument, whose elements come one by one")
        return self.refuse(node, f"{type(found).__name__} is no number: only Python's and NumPy's are")

    def value_of_BinOp(self, node: ast.BinOp) -> Value:
        return self.binary(node, node.op, self.value(node.left), self.value(node.right))

    def binary(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        word, of_constants = _BINARY[type(op)]
        if a.is_constant and b.is_constant:
            if word == "power" and isinstance(a.number, int) and isinstance(b.number, int) and abs(b.number) > 4096:
                return self.refuse(node, "the number is too large")
            return self.attempt(node, lambda: constant(of_constants(a.number, b.number)))
        return self.attempt(node, lambda: operate(word, a, b))

    def value_of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self.test(node)
        v = self.value(node.operand)
        word, of_constant = _UNARY[type(node.op)]
        if v.is_constant:
            return self.attempt(node, lambda: constant(of_constant(int(v.number) if v.type == BOOL else v.number)))
        return self.attempt(node, lambda: operate(word, v))

    def value_of_Compare(self, node: ast.Compare) -> Value:
        types: list[Type] = []
        left = self.value(node.left)

        def tested(op: ast.cmpop, right: ast.expr, is_last: bool) -> Value:
            nonlocal left
            a, b = left, self.value(right)
            if not is_last:
                b = self.named(b)
            left = b
            word, of_constants = _COMPARISONS[type(op)]
            if a.is_constant and b.is_constant:
                v = self.attempt(node, lambda: constant(of_constants(a.number, b.number)))
            else:
                v = self.attempt(node, lambda: operate(word, a, b))
            types.append(v.type)
            return v

        pairs = list(zip(node.ops, node.comparators))
        if len(pairs) == 1:
            return tested(*pairs[0], True)
        # Each part but the last gives the next one a name, which is needed even where it is not compared.
        code, known = "", True
        for k, (op, right) in enumerate(pairs):
            v = tested(op, right, k == len(pairs) - 1)
            if v.is_constant:
                known = known and bool(v.number)
            else:
                code = f"({code} && {v.code})" if code else v.code
        if not known:
            return constant(False)
        return Value(BOOL if all(t.weak for t in types) else Type("bool"), code) if code else constant(True)

    def value_of_BoolOp(self, node: ast.BoolOp) -> Value:
        """`a and b` is a where a is false, and else b."""
        is_and = isinstance(node.op, ast.And)
        parts = [lambda n=n: self.value(n) for n in node.values]

        def rest(at: int) -> Value:
            first = self.named(parts[at]())
            if at == len(parts) - 1:
                return first
            if first.is_constant:
                return rest(at + 1) if bool(first.number) == is_and else first
            lines, second = self.aside(lambda: rest(at + 1))
            test = first.converted(BOOL)
            type = promoted(first.type, second.type)

            def chosen() -> Value:
                own, other = ([], first.converted(type)), (lines, second.converted(type))
                return Value(type, self.choice(test, *((other, own) if is_and else (own, other)), type))

            return self.attempt(node, chosen)

        return rest(0)

    def value_of_IfExp(self, node: ast.IfExp) -> Value:
        test = self.test(node.test)
        if test.is_constant:
            return self.value(node.body if test.number else node.orelse)
        first_lines, first = self.aside(lambda: self.value(node.body))
        second_lines, second = self.aside(lambda: self.value(node.orelse))
        if same_number(first.number, second.number):
            return first
        type = promoted(first.type, second.type)
        return self.attempt(node, lambda: Value(type, self.choice(
            test.code, (first_lines, first.converted(type)), (second_lines, second.converted(type)), type)))

    # ------------------------------------------------------------------------------------------------- calls

    def value_of_Call(self, node: ast.Call) -> Value:
        what = self.static(node.func)
        if what is MISSING:
            return self.method(node)
        if isinstance(what, types.FunctionType) or hasattr(what, "_heddle_call"):
            return self.translated(node, what)
        if what is range:
            return self.refuse(node, "range(…) stands in a for loop only")
        known = callee(what)
        if known is None and what not in (min, max):
            return self.refuse(node, "it is not supported: call functions of math, cmath and numpy, and plain functions "
                                     "of your own")
        if node.keywords:
            return self.refuse(node, "write the arguments without keywords")
        values = [self.value(a) for a in node.args]
        if known is None:
            return self.attempt(node, lambda: extremum(what is min, values, self.named))
        return self.attempt(node, lambda: self.computed(known, values))

    def computed(self, known: Callee, values: list[Value]) -> Value:
        if known.of_constants is not None and values and all(v.is_constant for v in values):
            found = known.of_constants(*(v.number for v in values))
            if not isinstance(found, (bool, int, float, complex)):
                raise Refused("its value is no number")
            return constant(found)
        if not values:
            raise Refused("it takes a number")
        return known.of(*values)

    def method(self, node: ast.Call) -> Value:
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "conjugate" and not node.args and not node.keywords:
            v = self.value(func.value)
            if v.is_constant:
                return constant(v.number.conjugate())
            return operate("conj", v) if v.type.is_complex else Value(INT, v.converted(INT)) if v.type == BOOL else v
        if isinstance(func, ast.Name):
            return self.refuse(node, f"{func.id} is a local variable here, and no function: give the variable another "
                                     "name")
        return self.refuse(node, "a number has .real, .imag and .conjugate() here")

    def translated(self, node: ast.Call, what: Any) -> Value:
        """A call of another function that is translated: a plain one, or one that vectorize made."""
        function = what if isinstance(what, types.FunctionType) else what.__wrapped__
        if any(k.arg is None for k in node.keywords):
            return self.refuse(node, "write the arguments out")
        self.program.source(function)
        try:
            bound = inspect.signature(function).bind(*node.args, **{k.arg: k.value for k in node.keywords if k.arg})
        except TypeError as e:
            return self.refuse(node, str(e))
        bound.apply_defaults()
        values = [self.value(a) if isinstance(a, ast.AST) else self.number_of(node, a) for a in bound.arguments.values()]
        if self.program.is_running(function):
            return self.refuse(node, "a function that calls itself is not supported: write a loop")
        declared = None
        if not isinstance(what, types.FunctionType):
            declared = self.attempt(node, lambda: what._heddle_call(tuple(v.type for v in values)))
        kinds = tuple(v.type for v in values) if declared is None else declared[0]
        name, result = self.program.function(function, kinds)
        given = self.attempt(node, lambda: Value(result, ", ".join(v.converted(t) for v, t in zip(values, kinds)))).code
        call = Value(result, f"{name}({given})")
        if declared is None or isinstance(what, types.FunctionType):
            return call
        # Vectorized functions return NumPy's scalars.
        strong = declared[1] or Type(result.name)
        return Value(strong, call.converted(strong))
