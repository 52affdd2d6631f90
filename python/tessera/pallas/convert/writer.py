"""Writer of the kernel's text. Each line has its place in the Python."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from tessera.pallas.convert.kernel import Place

Lines = list[tuple[int, str, Place]]


@dataclass
class Writer:
    """Collects declarations and statements."""

    declarations: Lines = field(default_factory=list)
    statements: Lines = field(default_factory=list)
    depth: int = 1

    def declare(self, text: str, place: Place) -> None:
        self.declarations.append((1, text, place))

    def say(self, text: str, place: Place) -> None:
        self.statements.append((self.depth, text, place))

    def open(self, text: str, place: Place) -> None:
        self.say(text + " {", place)
        self.depth += 1

    def otherwise(self, text: str, place: Place) -> None:
        """Closes a block and opens its alternative: `} else {`."""
        self.depth -= 1
        self.say(f"}} {text} {{", place)
        self.depth += 1

    def close(self, place: Place) -> None:
        self.depth -= 1
        self.say("}", place)

    def text(self, name: str, lines: bool) -> tuple[str, dict[int, Place]]:
        """Returns the whole text, and the place of each line. lines: add a `# line` directive at each change of place."""
        rows: Lines = [*self.declarations, (0, "{", self.statements[0][2] if self.statements else _NOWHERE), *self.statements]
        out, places = [f"kernel {name}()"], {}
        last: Place | None = None
        for depth, text, place in rows:
            if lines and place is not _NOWHERE and place != last and text not in "{}":
                out.append(_directive(place))
                last = place
            out.append("  " * depth + text)
            if place is not _NOWHERE:
                places[len(out)] = place
        if lines and last is not None:
            out.append("# line")
        return "\n".join([*out, "}", ""]), places


def _directive(place: Place) -> str:
    calls = "".join(f" from {line} {_quoted(file)}" for file, line, _ in place.stack)
    return f"# line {place.line} {_quoted(place.file)}{calls}"


def _quoted(file: str) -> str:
    return json.dumps(file, ensure_ascii=False)


_NOWHERE = Place("", 0)
NOWHERE = _NOWHERE
