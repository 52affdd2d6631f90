#!/usr/bin/env bash
# Runs the tests of tessera.pallas with every supported version of JAX, on the build of ./run-tests. `debian` runs the
# Python tests with the newest JAX and the Python of Debian 13, in a Debian installation of its own, and builds the package
# there; it requires root and debootstrap. All files are deleted afterwards.
# scripts/python_versions.sh [VERSION ...]       versions from `0.7 0.8 0.9 0.10 debian`; default: all
set -euo pipefail
cd -P "${BASH_SOURCE[0]%/*}/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export JAX_PLATFORMS=cpu PYTHONDONTWRITEBYTECODE=1

with_jax() {
  python3 -m venv "$folder/venv"
  # jax 0.9 imports absl but does not declare it as a dependency.
  "$folder/venv/bin/pip" install --quiet "jax==$1.*" absl-py ml_dtypes pytest
  PYTHONPATH=$PWD/build/release/python "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider -rs python/tests/pallas
  rm -rf "$folder/venv"
}

in_debian() {
  local root=$folder/debian mirror packages
  if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo 'python_versions.sh: Debian 13 is skipped: it needs root and debootstrap'
    return
  fi
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sed -n 1p)
  mapfile -t packages < <(awk '$1 == "build" { print $2 }' scripts/packages.txt)
  debootstrap --variant=minbase --include=ca-certificates trixie "$root" "$mirror"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"  # certificates that this machine trusts
  mkdir "$root/tessera"
  git archive HEAD | tar -x -C "$root/tessera"
  inside apt-get update -q
  inside apt-get install -q -y --no-install-recommends python3-venv python3-dev "${packages[@]}"
  inside python3 -m venv /venv
  inside /venv/bin/pip install --quiet "/tessera[pallas,test]"
  inside /bin/sh -c 'cd /tessera && /venv/bin/python -m pytest -q -p no:cacheprovider -rs python/tests'
}

# Runs a command in that Debian installation, in a separate process namespace.
inside() {
  DEBIAN_FRONTEND=noninteractive unshare --fork --pid --mount-proc="$folder/debian/proc" chroot "$folder/debian" "$@"
}

if [ $# = 0 ]; then set -- 0.7 0.8 0.9 0.10 debian; fi
for version; do
  echo "python_versions.sh $version"
  case $version in
    debian) in_debian ;;
    *) with_jax "$version" ;;
  esac
done
