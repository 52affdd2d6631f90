"""Imports between modules of the package are at the top of the files, and make no circle."""

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "tessera"
#: JAX, which `tessera.pallas` imports, is optional: pytest loads the plugin in every process.
OPTIONAL = {("tessera.pytest_plugin", "tessera.pallas")}


def _modules() -> dict[str, Path]:
    parts = {path: ("tessera", *path.relative_to(ROOT).with_suffix("").parts) for path in ROOT.rglob("*.py")}
    return {".".join(p[:-1] if p[-1] == "__init__" else p): path for path, p in parts.items()}


MODULES = _modules()


def _imported(name: str, path: Path, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules of the package that a statement names."""
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names if one.name in MODULES)
        return
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])]) if node.level else node.module
    for one in node.names:
        if f"{base}.{one.name}" in MODULES:
            yield f"{base}.{one.name}"
        elif base in MODULES and one.name != "_tessera":  # the extension module
            yield base


def _statements(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """All imports except those for type annotations only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield from _statements(node)


def _edges() -> Iterator[tuple[str, str, bool]]:
    """Importing module, imported module, whether the statement is at the top of the file."""
    for name, path in MODULES.items():
        tree = ast.parse(path.read_text())
        yield from ((name, other, node in tree.body) for node in _statements(tree) for other in _imported(name, path, node))


def test_imports_are_at_the_top():
    inner = [f"{name} imports {other}" for name, other, top in _edges() if not top and (name, ".".join(other.split(".")[:2])) not in OPTIONAL]
    assert not inner


def test_imports_make_no_circle():
    graph: dict[str, set[str]] = {}
    for name, other, _ in _edges():
        graph.setdefault(name, set()).add(other)
    assert len(graph) > 40
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle
