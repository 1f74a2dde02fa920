"""Kernels that are launched and compute nothing."""
from torch import launched

__version__ = "3.0-fake"


class jit:
    def __init__(self, function):
        self.function = function

    def __getitem__(self, grid):
        return lambda *arguments, **_: launched(self.function.__name__, arguments[0])
