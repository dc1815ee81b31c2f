"""NVIDIA's packages of PyPI, such as nvidia-cuda-nvrtc and nvidia-cublas, in which the library finds CUDA's."""

import os
from importlib.machinery import PathFinder


def folders() -> list[str]:
    """The folders of the packages that have libraries: site-packages/nvidia/cu13 and the like."""
    spec = PathFinder.find_spec("nvidia")
    places = spec.submodule_search_locations if spec is not None else None
    found = [os.path.join(place, name) for place in places or () if os.path.isdir(place) for name in sorted(os.listdir(place))]
    return [folder for folder in found if os.path.isdir(os.path.join(folder, "lib"))]
