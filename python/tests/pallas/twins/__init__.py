"""Pairs of kernels, one with a mistake and one without: `index.json` labels them, README.md tells how to read it."""
