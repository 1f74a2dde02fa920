from torch import Tensor, launched


def linear(x, a):
    launched("linear", a)


def rms_norm(x, shape, weight):
    launched("rms_norm", x)
