"""Kernels of other projects, of which nothing is kept here but how to call them with small arguments."""

from trial import ejkernel, others, tpu_inference_attention, tpu_inference_dense  # noqa: F401 (their cases)
from trial.case import CASES, Case
from trial.shells import NotThere

__all__ = ["CASES", "Case", "NotThere"]
