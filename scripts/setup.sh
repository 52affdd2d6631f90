# Installs missing packages and builds; sourced by gmm-run and run-tests, which set `root` (the checkout) and `program`
# (their name). All messages go to standard error. Failures exit with code 3.

log=$root/build/setup.log

say() { printf '%s: %s\n' "$program" "$1" >&2; }

fail() { say "$1"; exit 3; }

fail_with_log() {
  end_progress
  tail -n 30 "$log" >&2
  fail "$1; the whole log is in build/setup.log"
}

# On a terminal: one line that is updated. Otherwise: a line at the first call, then one every few seconds.
shown=
shown_at=-10
progress() {
  if [ -t 2 ]; then
    printf '\r\033[K%s: %s' "$program" "$1" >&2
    shown=$1
  elif [ $((SECONDS - shown_at)) -ge 5 ] || [ "$shown" != "${1%% (*}" ]; then
    say "$1"
    shown=${1%% (*}
    shown_at=$SECONDS
  fi
}

end_progress() {
  if [ -t 2 ] && [ -n "$shown" ]; then printf '\n' >&2; fi
  shown=
}

is_present() {
  local prefix pattern
  case $1 in
    */*)
      for prefix in /usr /usr/local; do
        for pattern in "$1" "lib64/${1#lib/}" "lib/*-linux-gnu/${1#lib/}"; do
          if compgen -G "$prefix/$pattern" >/dev/null; then return 0; fi
        done
      done
      return 1 ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

# install_packages KIND...: installs the missing packages of these kinds; fails if a tool is too old.
install_packages() {
  local kind package probe missing=()
  while read -r kind package probe _; do
    case " $* " in *" $kind "*) is_present "$probe" || missing+=("$package") ;; esac
  done < <(packages)
  if [ ${#missing[@]} -gt 0 ]; then install_missing "${missing[@]}"; fi
  check_versions "$@"
}

packages() { grep -E '^(build|test|ci|fuzz) ' "$root/scripts/packages.txt"; }

# Fails for tools that are older than required, before the build fails with them.
check_versions() {
  local kind probe needed found
  while read -r kind _ probe needed; do
    [ -n "$needed" ] || continue
    case " $* " in *" $kind "*) ;; *) continue ;; esac
    # CMake checks the version of a compiler selected with CXX.
    if [ "$probe" = g++ ] && [ -n "${CXX:-}" ]; then continue; fi
    found=$("$probe" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1 || true)
    printf '%s\n%s\n' "$needed" "$found" | sort -V -C ||
      fail "$probe ${found:-of an unknown version} is here, $needed is needed"
  done < <(packages)
}

install_missing() {
  local missing=("$@")
  local list="${missing[*]}" as_root=()
  command -v apt-get >/dev/null || fail "missing, and this is no Debian to install them on: $list"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "missing, and installing takes root or sudo: $list"
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
  say "installing packages: $list"
  progress 'reading package lists'
  "${apt[@]}" update >>"$log" 2>&1 || fail_with_log 'reading the package lists failed'
  "${apt[@]}" -o APT::Status-Fd=1 install -y --no-install-recommends "${missing[@]}" 2>&1 9>&- |
    tee -a "$log" | show_installation || fail_with_log 'installing packages failed'
  end_progress
}

# Status lines are "dlstatus:what:percent:message" and "pmstatus:...", among other output of the packages.
show_installation() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^dlstatus:[^:]*:([0-9]+) ]]; then
      progress "downloading packages (${BASH_REMATCH[1]} %)"
    elif [[ $line =~ ^pmstatus:[^:]*(:[^:0-9][^:]*)?:([0-9]+) ]]; then
      progress "installing packages (${BASH_REMATCH[2]} %)"
    fi
  done
}

# build PRESET TARGET [CMAKE_ARGUMENT...]: configures if there is no configuration yet or arguments are given.
build() {
  local preset=$1 target=$2 folder=$root/build/$1
  shift 2
  # The checkout was moved: its build files contain the old path.
  if [ -e "$folder/CMakeCache.txt" ] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
  fi
  if [ ! -e "$folder/build.ninja" ] || [ $# -gt 0 ]; then
    progress 'configuring'
    (cd "$root" && cmake --preset "$preset" "$@") >>"$log" 2>&1 9>&- || fail_with_log 'configuring failed'
  fi
  progress 'building'
  NINJA_STATUS='[%f/%t] ' ninja -C "$folder" "$target" 2>&1 9>&- | tee -a "$log" | show_build ||
    fail_with_log 'building failed'
  end_progress
}

show_build() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      progress "building (${BASH_REMATCH[1]} of ${BASH_REMATCH[2]})"
    fi
  done
}

# Only one process at a time sets up and builds; the lock is file descriptor 9.
take_lock() {
  mkdir -p "$root/build" 2>/dev/null && { exec 9>>"$root/build/setup.lock"; } 2>/dev/null ||
    fail "something must be built, and $root/build cannot be written"
  if ! flock -n 9; then
    say 'waiting for another build'
    flock 9
  fi
  : >"$log"
}

release_lock() { exec 9>&-; }
