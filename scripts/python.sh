# The virtual environment for the tests of the Python package, in build/python; sourced by run-tests after setup.sh. If
# it cannot be created, for example without a network, everything else is built and tested, and the Python tests report
# why they are skipped.

python_folder=$root/build/python

# Sets `python_options` for CMake.
prepare_python() {
  local preset=$1 wanted
  case $preset in
    release | clang | clang-warnings) ;;
    *) skip_python "the preset $preset: a module with its sanitizers or counters needs an interpreter that has them"; return ;;
  esac
  wanted=$(cksum <"$root/python/requirements.txt")
  if [ "$(cat "$python_folder/installed" 2>/dev/null)" != "$wanted" ]; then
    progress 'installing the Python packages of the tests'
    rm -rf "$python_folder"
    mkdir -p "$python_folder"
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>>"$log"; then
      skip_python 'Python 3.11 or newer is not here'
      return
    fi
    if ! { python3 -m venv "$python_folder/venv" &&
      "$python_folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 \
        --requirement "$root/python/requirements.txt"; } >>"$log" 2>&1 9>&-; then
      skip_python 'the packages of python/requirements.txt could not be installed: build/setup.log says why'
      return
    fi
    printf '%s\n' "$wanted" >"$python_folder/installed"
  fi
  python_options=(-DTESSERA_PYTHON=ON "-DPython_EXECUTABLE=$python_folder/venv/bin/python" -DTESSERA_NO_PYTHON=)
}

skip_python() {
  end_progress
  python_options=(-DTESSERA_PYTHON=OFF "-DTESSERA_NO_PYTHON=$1")
}
