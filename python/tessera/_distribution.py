"""Raises ImportError if the distribution `tessera` of another project is installed too: it has a package of the same name."""

from importlib import metadata

try:
    _other = metadata.version("tessera")
except metadata.PackageNotFoundError:
    pass
else:
    raise ImportError(
        f"the distribution tessera {_other}, of another project, is installed too, and its package has the same name: "
        "`pip uninstall tessera tessera-kernels`, then `pip install tessera-kernels`"
    )
