"""Runs of heddle transform on arrays, many expressions to a compilation."""
import os
import tempfile

import numpy as np

from checks import CommandTest


def by_turns(*expressions):
    """An expression whose element i is that of expression i mod their number: one compilation for all of them."""
    return chosen([f"i % {len(expressions)} == {k}" for k in range(len(expressions))], expressions)


def chosen(conditions, expressions):
    """The expression of the first condition that holds, and the last one where none does."""
    text = expressions[-1]
    for condition, expression in reversed(list(zip(conditions, expressions[:-1]))):
        text = f"where({condition}, {expression}, {text})"
    return text


class ExpressionTest(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Of this test alone, and kept from one of its tests to the next.
        cls.cache = cls.enterClassContext(tempfile.TemporaryDirectory())
        os.environ["XDG_CACHE_HOME"] = cls.cache

    def transformed(self, expression, arrays, *flags):
        files = [f"{name}={self.save(x, name + '.npy')}" for name, x in arrays.items()]
        return self.written("transform", expression, *files, *flags)

    def columns(self, expressions, arrays, *flags):
        """The values of expressions of arrays along one axis, a column each."""
        arrays = {name: x[:, None] for name, x in arrays.items()}
        which = np.arange(len(expressions), dtype="int16")
        text = chosen([f"which == {k}" for k in which], expressions)
        return self.transformed(text, {**arrays, "which": which}, *flags)

    def type_of(self, expression, arrays):
        """Of the result, which takes no compiler where there are no elements."""
        return self.transformed(expression, {name: x[:0] for name, x in arrays.items()}).dtype

    def targets(self):
        return ["serial"] + self.gpus[:1]
