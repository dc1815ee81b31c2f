"""The types that are written down are those of the extension."""

import ast
import inspect
import pathlib
import subprocess
import sys

import heddle

STUB = pathlib.Path(heddle.__file__).parent / "_core.pyi"
OF_EVERY_CLASS = {"__init__", "__eq__", "__hash__", "__repr__", "__str__", "__reduce__", "__doc__", "__module__", "__new__"}


def test_the_stub_names_what_the_extension_has():
    written = {}
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            written[node.name] = None
        elif isinstance(node, ast.AnnAssign):
            written[node.target.id] = None
        elif isinstance(node, ast.ClassDef):
            # Functions, annotated names, and __hash__ = None.
            written[node.name] = {getattr(member, "name", None) or getattr(member, "target", None) and member.target.id
                                  or member.targets[0].id for member in node.body}
    assert set(written) == {name for name in dir(heddle._core) if not name.startswith("__")}
    for name, members in written.items():
        if members is not None:
            have = {member for member in vars(getattr(heddle._core, name)) if not member.startswith("__nb")}
            # Type checkers take __add__ for += where there is no __iadd__.
            have -= {member for member in have if member.startswith("__i") and "__" + member[3:] in have}
            assert members - OF_EVERY_CLASS == have - OF_EVERY_CLASS


def test_every_function_says_its_types():
    assert (STUB.parent / "py.typed").exists()
    for name in heddle.__all__:
        thing = getattr(heddle, name)
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty, name
            for parameter in signature.parameters.values():
                assert parameter.annotation is not inspect.Parameter.empty, (name, parameter)


def test_what_the_namespace_exports_is_written_down():
    from heddle import array_api

    assert set(array_api.__all__) == {name for name in vars(array_api) if not name.startswith("_")}


def test_every_name_is_where_it_is_used_first():
    program = """
import sys, numpy, heddle
assert not {"heddle._check", "heddle._vectorize", "heddle.array_api", "heddle.random"} & set(sys.modules)
assert set(heddle.__all__) | {"array_api"} <= set(dir(heddle))
assert heddle.random is sys.modules["heddle.random"] and heddle.check is heddle.check
from heddle import *
assert vectorize is heddle.vectorize and fft is heddle.fft
try:
    heddle.nothing
except AttributeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "module 'heddle' has no attribute 'nothing'\n", done.stderr
