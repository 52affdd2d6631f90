"""Hooks of MkDocs: links to files that are not pages become file names, because the site contains only pages."""

from __future__ import annotations

import os
import re

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page, config, files) -> str:
    """Returns the page with links that leave the folder of pages replaced by their text and the file's path in the repository."""
    folder = os.path.dirname(page.file.src_uri)

    def replaced(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        path = os.path.normpath(os.path.join("docs", folder, target))
        if re.match(r"[a-z]+:", target) or path.startswith("docs/"):
            return match[0]
        return f"{text} (`{path}`)" if text != os.path.basename(path) else f"`{path}`"

    return LINK.sub(replaced, markdown)
