#!/bin/sh
# Makes .venv and installs Hearth into it: `sh tools/venv.sh` what it takes to run, `sh tools/venv.sh dev` to develop.
# Does nothing where that was done since pyproject.toml last changed. PYTHON names the Python to use.
set -eu
cd "$(dirname "$0")/.."

venv=.venv
extra=${1:-}
suitable='import sys; assert sys.version_info >= (3, 11)'

here=$(pwd -P)

current() {
    [ -f "$venv/$1.installed" ] && [ -z "$(find pyproject.toml -newer "$venv/$1.installed")" ] && ! moved &&
        "$venv/bin/python" -c 'import hearth' 2>/dev/null
}

# An environment that was copied along with the checkout still points to where it was made.
moved() {
    for stamp in "$venv"/*.installed; do
        if [ -f "$stamp" ] && [ "$(cat "$stamp")" != "$here" ]; then
            return 0
        fi
    done
    return 1
}

# What is there for development serves for running too.
if current dev || { [ -z "$extra" ] && current run; }; then
    exit 0
fi

if moved || ! "$venv/bin/python" -c "$suitable; import pip" 2>/dev/null; then
    # A name on the path proves little: version managers put stand-ins there, and Debian splits ensurepip off.
    found=
    without_pip=
    for name in ${PYTHON:-python3.13 python3.12 python3.11 python3 python3.14}; do
        "$name" -c "$suitable" 2>/dev/null || continue
        if "$name" -c 'import ensurepip, venv' 2>/dev/null; then
            found=$name
            break
        fi
        without_pip=$name
    done
    if [ -z "$found" ]; then
        if [ -n "$without_pip" ]; then
            echo "$without_pip has no venv module; install it (Debian and Ubuntu: apt install python3-venv)" >&2
        else
            echo "no Python 3.11 or newer found; install one, or name it: make PYTHON=/path/to/python3 ..." >&2
        fi
        exit 1
    fi
    echo "making $venv with $("$found" --version)"
    "$found" -m venv --clear "$venv"
fi

echo "installing Hearth${extra:+ with what development needs} into $venv"
"$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check --editable ".${extra:+[$extra]}"
echo "$here" >"$venv/${extra:-run}.installed"
