"""Pallas TPU kernels that `tessera.pallas` is tried on: ours, after the descriptions of JAX's documentation, and drivers
of those in JAX's wheel."""
