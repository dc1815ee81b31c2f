"""Which of two extensions becomes heddle._core: they differ in MPI, without which the one of most programs starts."""

import importlib.machinery
import importlib.util
import os
import sys


def is_wanted() -> bool:
    """Whether this process is one of several of MPI, by what launchers put into the environment, or uses mpi4py."""
    if os.environ.get("HEDDLE_RANKS") == "1":
        return False
    launched = any(int(os.environ.get(name) or 1) > 1 for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"))
    return launched or any(name in os.environ for name in ("PMIX_RANK", "PMI_RANK", "MPI_LOCALNRANKS")) or "mpi4py.MPI" in sys.modules


def load() -> None:
    """Puts the extension with MPI in the place of heddle._core, where it is wanted and there."""
    if "heddle._core" in sys.modules or not is_wanted():
        return
    folder = os.path.join(os.path.dirname(__file__), "with_mpi")
    for ending in importlib.machinery.EXTENSION_SUFFIXES:
        path = os.path.join(folder, f"_core{ending}")
        if os.path.exists(path):
            spec = importlib.util.spec_from_file_location("heddle._core", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules["heddle._core"] = module
            spec.loader.exec_module(module)
            return
