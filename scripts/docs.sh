#!/usr/bin/env bash
# Builds the pages of docs/ as a site: build/docs/site/index.html. Warnings, for example for broken links, are errors.
#   scripts/docs.sh            builds the site
#   scripts/docs.sh serve      serves it at http://127.0.0.1:8000 and rebuilds it after each change
# Installs MkDocs and its theme (docs/requirements.txt) from PyPI into build/docs/venv.
set -euo pipefail
export NO_MKDOCS_2_WARNING=1
cd -P "${BASH_SOURCE[0]%/*}/.."
case ${1:-build} in
  build | serve) ;;
  *) sed -n '2,/^set/{s/^# \?//p}' "$0" >&2; exit 2 ;;
esac

venv=build/docs/venv
if ! cmp -s docs/requirements.txt "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv" || { echo 'docs.sh: python3 with venv is required (Debian: python3-venv)' >&2; exit 3; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r docs/requirements.txt
  cp docs/requirements.txt "$venv/requirements.txt"
fi
if [ "${1:-build}" = serve ]; then exec "$venv/bin/mkdocs" serve --strict; fi
# Not --quiet: it also hides the warnings that --strict counts.
"$venv/bin/mkdocs" build --strict --site-dir "$PWD/build/docs/site" >build/docs/log 2>&1 ||
  { grep -E 'WARNING|ERROR|Aborted' build/docs/log >&2 || cat build/docs/log >&2; exit 1; }
echo 'build/docs/site/index.html'
