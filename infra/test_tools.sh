#!/bin/sh
# Sees to it that tests have Chromium and libfaketime: installs them where it may, else says how.
set -eu

has_chromium() {
    [ -z "${PLUMBLINE_CHROMIUM:-}" ] || return 0
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        if command -v "$name" >/dev/null 2>&1; then return 0; fi
    done
    return 1
}

has_faketime() {
    [ -z "${FAKETIME_LIBRARY:-}" ] || return 0
    for file in /usr/lib/*/faketime/libfaketimeMT.so.1 /usr/lib/faketime/libfaketimeMT.so.1 \
        /usr/lib64/faketime/libfaketimeMT.so.1 /usr/local/lib/faketime/libfaketimeMT.so.1; do
        if [ -e "$file" ]; then return 0; fi
    done
    return 1
}

missing=
has_chromium || missing="$missing chromium"
has_faketime || missing="$missing faketime"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing$missing for the tests" >&2
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086  # several words on purpose
    apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends $missing >&2 || true
fi
if ! has_chromium; then
    echo "The browser tests will be skipped: no Chromium found. Install it, for example:" >&2
    echo "  Debian:  sudo apt-get install chromium" >&2
    echo "or name one: PLUMBLINE_CHROMIUM=/path/to/chromium make test" >&2
fi
if ! has_faketime; then
    echo "Tests with a wrong clock will be skipped: no libfaketime found. Install it, for example:" >&2
    echo "  Debian:  sudo apt-get install faketime" >&2
fi
