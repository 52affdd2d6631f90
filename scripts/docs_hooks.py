"""Hooks of MkDocs. Links to files that are not pages become file names. Fences lose the options of the tests that run them."""

from __future__ import annotations

import os
import re

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page, config, files) -> str:
    """Returns the page with a file's path for each link that leaves the folder of pages, and with plain fences."""
    folder = os.path.dirname(page.file.src_uri)

    def replaced(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        path = os.path.normpath(os.path.join("docs", folder, target))
        if re.match(r"[a-z]+:", target) or path.startswith("docs/"):
            return match[0]
        return f"{text} (`{path}`)" if text != os.path.basename(path) else f"`{path}`"

    return LINK.sub(replaced, re.sub(r"^```(\w+) .*$", r"```\1", markdown, flags=re.MULTILINE))
