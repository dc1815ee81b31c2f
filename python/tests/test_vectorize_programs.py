"""heddle.vectorize: functions of random statements, against Python's own results for each element."""

import importlib.util
import random
import shutil

import numpy as np
import pytest

from test_vectorize import INTEGERS, each, pairs

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no compiler")


class Programs:
    """Functions of two numbers x and y whose local variables a, b and c have one type, that of x and y."""

    def __init__(self, seed, dtype):
        self.random = random.Random(f"{seed} {dtype}")
        self.kind = np.dtype(dtype).kind
        self.loops = 0

    def number(self):
        if self.kind == "f" and self.random.random() < 0.5:
            return self.random.choice(["0.5", "1.25", "3.0"])
        return str(self.random.randint(1, 9))

    def strong(self, depth):
        """An expression of the type of x."""
        pick = self.random.random()
        if depth == 0 or pick < 0.15:
            return self.random.choice("abcxy")
        if pick < 0.65:
            signs = ["+", "-", "*", "//", "%"] + (["/"] if self.kind == "f" else ["&", "|", "^"])
            parts = [self.strong(depth - 1), self.strong(depth - 1) if self.random.random() < 0.6 else self.number()]
            if self.kind != "f" and self.random.random() < 0.1:
                return f"({parts[0]} {self.random.choice(['<<', '>>'])} {self.random.randint(0, 6)})"
            if not parts[1].isalpha() or self.random.random() < 0.7:
                return f"({parts[0]} {self.random.choice(signs)} {parts[1]})"
            return f"({parts[1]} {self.random.choice(signs)} {parts[0]})"
        if pick < 0.75:
            return f"{self.random.choice(['-', 'abs', '+'])}({self.strong(depth - 1)})"
        if pick < 0.87:
            return f"{self.random.choice(['min', 'max'])}({self.strong(depth - 1)}, {self.strong(depth - 1)})"
        return f"({self.strong(depth - 1)} if {self.condition(1)} else {self.strong(depth - 1)})"

    def condition(self, depth):
        signs = ["<", "<=", ">", ">=", "==", "!="]
        pick = self.random.random()
        if depth > 0 and pick < 0.3:
            return f"({self.condition(depth - 1)} {self.random.choice(['and', 'or'])} {self.condition(depth - 1)})"
        if pick < 0.4:
            return f"(not {self.strong(1)})"
        if pick < 0.55:
            return f"({self.number()} {self.random.choice(signs)} {self.strong(1)} {self.random.choice(signs)} {self.strong(1)})"
        if pick < 0.7:
            return f"(count % 3 {self.random.choice(signs)} 1)"
        return f"({self.strong(1)} {self.random.choice(signs)} {self.strong(1) if self.random.random() < 0.5 else self.number()})"

    def block(self, depth, indent, in_loop):
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, indent, in_loop)
        return lines

    def statement(self, depth, indent, in_loop):
        pick, name = self.random.random(), self.random.choice("abc")
        if depth == 0 or pick < 0.4:
            return [indent + self.random.choice([
                f"{name} = {self.strong(2)}", f"{name} {self.random.choice('+-*')}= {self.strong(2)}", "a, b = b, a",
                f"a, c = {self.strong(1)}, {self.strong(1)}", "count = (count * 3 + 1) % 101", f"{name} = {name} + count % 7"])]
        if pick < 0.65:
            lines = [f"{indent}if {self.condition(1)}:", *self.block(depth - 1, indent + "    ", in_loop)]
            if self.random.random() < 0.4:
                lines += [f"{indent}elif {self.condition(1)}:", *self.block(depth - 1, indent + "    ", in_loop)]
            if self.random.random() < 0.6:
                lines += [f"{indent}else:", *self.block(depth - 1, indent + "    ", in_loop)]
                if self.random.random() < 0.2:
                    lines.append(f"{indent}    return {name}")
            return lines
        if in_loop and pick < 0.75:
            return [f"{indent}if {self.condition(1)}:", f"{indent}    count += 1", f"{indent}    {self.random.choice(['break', 'continue'])}"]
        self.loops += 1
        k = f"k{self.loops}"
        if pick < 0.9:
            span = self.random.choice(["4", "1, 4", "5, 0, -2", "count % 4"])
            return [f"{indent}for {k} in range({span}):", *self.block(depth - 1, indent + "    ", True), f"{indent}    count += {k}"]
        return [f"{indent}{k} = 0", f"{indent}while {k} < 3 and {self.condition(0)}:", f"{indent}    {k} += 1",
                *self.block(depth - 1, indent + "    ", True)]

    def function(self, name):
        lines = [f"def {name}(x, y):", "    a, b, c, count = x, y, x - y, 0"]
        for _ in range(3):
            lines += self.statement(3, "    ", False)
        return "\n".join([*lines, f"    return {self.strong(2)}"])


def module_of(path, text):
    """A module whose source is a file."""
    path.write_text("import math, cmath\nimport numpy as np\nimport heddle\n" + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "float64"])
def test_generated_programs(dtype, tmp_path):
    count = 12
    programs = Programs(1, dtype)
    texts = [programs.function(f"g{k}") for k in range(count)]
    choices = "\n".join(f"    if which == {k}:\n        return g{k}(x, y)" for k in range(count))
    text = "\n\n".join([*texts, f"@heddle.vectorize\ndef chosen(x, y, which):\n{choices}\n    return x"])
    module = module_of(tmp_path / f"programs_{dtype}.py", text)
    x, y = (v[:24] for v in pairs(dtype, dtype, seed=3))
    compared = 0
    for which in range(count):
        want = each(getattr(module, f"g{which}"), x, y)
        have = module.chosen(x, y, which, target="serial")
        assert have.dtype == np.dtype(dtype)
        kept = [k for k, v in enumerate(want) if v is not None]
        compared += len(kept)
        with np.errstate(all="ignore"):
            expected = np.array([np.asarray(want[k]).astype(dtype) for k in kept], dtype)
        np.testing.assert_array_equal(have[kept], expected, err_msg=texts[which])
    assert compared > 12 * count
