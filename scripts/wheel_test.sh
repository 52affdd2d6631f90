#!/usr/bin/env bash
# Installs the wheel that scripts/wheel.sh built into bare systems with python3-venv alone, from a local folder and without a network, and runs
# `gmm-run`, the Python examples of the README and the proof of a Pallas kernel. Prints the seconds from `pip install` to the verdict, and which
# libraries outside of the manylinux policy the wheel needs. Requires root, debootstrap and a network for the systems themselves.
# scripts/wheel_test.sh [FOLDER [SUITE...]]     FOLDER: default build/wheels; SUITE: bookworm or trixie of Debian, jammy of Ubuntu; default all
set -euo pipefail
cd -P "${BASH_SOURCE[0]%/*}/.."
folder=${1:-build/wheels}
shift $(($# > 0))
[ $# -gt 0 ] || set -- bookworm trixie jammy
[ "$(id -u)" = 0 ] || { echo 'wheel_test.sh: needs root'; exit 1; }
command -v debootstrap >/dev/null || { echo 'wheel_test.sh: needs debootstrap'; exit 1; }
wheel=$(echo "$folder"/tessera_kernels-*.whl)
[ -f "$wheel" ] || { echo "wheel_test.sh: $folder has no wheel; scripts/wheel.sh builds it"; exit 1; }
unset PIP_FIND_LINKS  # of this machine
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# Runs a command in a system, in namespaces of its own. Only with `network` it can reach other hosts.
inside() {
  local root=$1 network=$2
  shift 2
  local options=(--fork --pid --mount-proc="$root/proc")
  [ "$network" = network ] || options+=(--net)
  DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 unshare "${options[@]}" chroot "$root" "$@"
}

for suite; do
  if [ "$suite" = jammy ] && [ ! -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ]; then
    echo 'wheel_test.sh: jammy is skipped: it needs the keys of ubuntu-archive-keyring'
    continue
  fi
  root=$work/$suite
  python=python3
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sed -n 1p)
  if [ "$suite" = jammy ]; then python=python3.11 mirror=; fi  # debootstrap's own mirror of Ubuntu; its python3 is 3.10
  debootstrap --variant=minbase --include=ca-certificates --components=main,universe "$suite" "$root" ${mirror:+"$mirror"} >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"  # certificates that this machine trusts
  for file in /etc/apt/apt.conf.d/99*; do [ ! -e "$file" ] || cp "$file" "$root$file"; done
  mount --bind /dev "$root/dev"
  trap 'umount "$work"/*/dev 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
  inside "$root" network apt-get install -q -y --no-install-recommends "$python-venv" >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
  mkdir -p "$root/wheels" "$root/case"
  cp "$wheel" "$root/wheels"
  cp README.md examples/pallas/test_double.py "$root/case"
  inside "$root" network "$python" -m venv /loader
  inside "$root" network /loader/bin/pip download -q --dest /wheels "/wheels/${wheel##*/}[pallas,test]"
  cat >"$root/case/run.sh" <<'END'
set -e
cd /case
$1 -m venv /venv
begin=$(date +%s.%N)
/venv/bin/pip install -q --disable-pip-version-check --no-index --find-links /wheels "tessera-kernels[pallas,test]"
/venv/bin/python -m pytest -q -p no:cacheprovider test_double.py
end=$(date +%s.%N)
/venv/bin/gmm-run --version
/venv/bin/gmm-run gmm --group-sizes 100,150,50 --k 64 --n 32 --interpret
/venv/bin/python -m doctest README.md
/venv/bin/python -c "print('seconds from pip install to the verdict: %.1f' % ($end - $begin))"
END
  echo "wheel_test.sh: $suite"
  inside "$root" alone sh /case/run.sh "$python"
  umount "$root/dev"
done
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check auditwheel==6.8.2
"$work/venv/bin/auditwheel" show "$wheel"
