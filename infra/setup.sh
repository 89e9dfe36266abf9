#!/bin/sh
# Makes .venv from the hashed locks, or mends it; does nothing where it is as the lock says.
# Usage: sh infra/setup.sh dev | embedded      (embedded: what the demo needs; dev: everything)
set -eu
cd "$(dirname "$0")/.."
wanted=${1:-dev}

say() { printf '%s\n' "$*" >&2; }
stamp_of() { { pwd; cat "requirements/$1.txt" pyproject.toml infra/setup.sh; } | cksum; }
is_current() { [ -x .venv/bin/python ] && [ "$(cat ".venv/plumbline-$1" 2>/dev/null)" = "$(stamp_of "$1")" ]; }

is_current dev && exit 0
is_current "$wanted" && exit 0

new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
python=
for name in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
    if "$name" -c "$new_enough" >/dev/null 2>&1; then python=$name && break; fi
done
uv=
if uv --version >/dev/null 2>&1; then uv=uv; fi

if [ -z "$python" ]; then
    say "Plumbline needs Python 3.11 or newer, and none was found. Install one, for example:"
    say "  Debian, Ubuntu:  apt-get install python3.11 python3.11-venv"
    say "  Fedora:          dnf install python3.12"
    say "  macOS:           brew install python@3.12"
    say "or name one: make setup PYTHON=/path/to/python3"
    exit 1
fi

make_environment() {
    if [ -n "$uv" ]; then
        uv venv --quiet --clear --python "$python" .venv && return
        uv=
    fi
    if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        say "This Python cannot make virtual environments. Install the missing package, for example:"
        say "  Debian, Ubuntu:  apt-get install python$version-venv   (or python3-venv)"
        exit 1
    fi
    rm -rf .venv
    "$python" -m venv .venv
}

# uv takes seconds where pip takes half a minute, so pip is asked for uv first.
find_installer() {
    if [ -n "$uv" ] || .venv/bin/uv --version >/dev/null 2>&1; then return; fi
    .venv/bin/python -m pip install --quiet --disable-pip-version-check \
        --require-hashes -r requirements/installer.txt || say "uv is not to be had; pip will do."
}

with_uv() {
    if [ -n "$uv" ]; then uv "$@"; else .venv/bin/uv "$@"; fi
}

install() {
    with_uv pip install --quiet --python .venv/bin/python "$@" && return
    if .venv/bin/python -m pip --version >/dev/null 2>&1; then
        say "uv could not install; trying pip."
        .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@"
        return
    fi
    return 1
}

home=$(cat .venv/plumbline-home 2>/dev/null || true)
if ! .venv/bin/python -c "$new_enough" >/dev/null 2>&1 || [ "${home:-$(pwd)}" != "$(pwd)" ]; then
    say "Making the environment in .venv with $("$python" --version)"
    make_environment
fi
pwd >.venv/plumbline-home
find_installer
say "Installing requirements/$wanted.txt"
if ! install --require-hashes -r "requirements/$wanted.txt"; then
    say "The packages of requirements/$wanted.txt could not be installed: see above."
    say "Without a network, point your installer at a mirror and run this again."
    exit 1
fi
install --no-deps --no-build-isolation --editable .
stamp_of "$wanted" >".venv/plumbline-$wanted"
