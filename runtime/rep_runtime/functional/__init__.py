"""Functions that generated code calls where PyTorch has no one function of that meaning.

Dims are negative and counted from the end: any number of axes may stand in front of those that a function is told of.
"""

from rep_runtime.functional.convolution import convolve
from rep_runtime.functional.gradients import straight_through
from rep_runtime.functional.indexing import gather, onehot, scatter, shift, take, windows, wrap
from rep_runtime.functional.joining import concat, expand_front, stack
from rep_runtime.functional.maps import (
    argsort,
    l1norm,
    l2norm,
    log_softmax,
    masked_argsort,
    masked_l1norm,
    masked_l2norm,
    masked_log_softmax,
    masked_softmax,
    masked_top,
    softmax,
    top,
)
from rep_runtime.functional.masked import (
    masked_argmax,
    masked_argmin,
    masked_logsumexp,
    masked_max,
    masked_mean,
    masked_median,
    masked_min,
    masked_prod,
    masked_std,
    masked_var,
)
from rep_runtime.functional.matrices import Eigen, eigh, linsolve, qr_q
from rep_runtime.functional.outside import external
from rep_runtime.functional.reductions import argmax, argmin, largest, median, prod, smallest
from rep_runtime.functional.statistics import corr, cov, masked_corr, masked_cov

__all__ = [
    "Eigen",
    "argmax",
    "argmin",
    "argsort",
    "concat",
    "convolve",
    "corr",
    "cov",
    "eigh",
    "expand_front",
    "external",
    "gather",
    "l1norm",
    "l2norm",
    "largest",
    "linsolve",
    "log_softmax",
    "masked_argmax",
    "masked_argmin",
    "masked_argsort",
    "masked_corr",
    "masked_cov",
    "masked_l1norm",
    "masked_l2norm",
    "masked_log_softmax",
    "masked_logsumexp",
    "masked_max",
    "masked_mean",
    "masked_median",
    "masked_min",
    "masked_prod",
    "masked_softmax",
    "masked_std",
    "masked_top",
    "masked_var",
    "median",
    "onehot",
    "prod",
    "qr_q",
    "scatter",
    "shift",
    "smallest",
    "softmax",
    "stack",
    "straight_through",
    "take",
    "top",
    "windows",
    "wrap",
]
