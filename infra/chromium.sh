#!/bin/sh
# Sees to it that the browser tests have a Chromium: installs it where it may, else says how.
set -eu
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if [ -n "${PLUMBLINE_CHROMIUM:-}" ]; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing Chromium for the browser tests" >&2
    export DEBIAN_FRONTEND=noninteractive
    if apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends chromium >&2; then
        exit 0
    fi
fi
echo "The browser tests will be skipped: no Chromium found. Install it, for example:" >&2
echo "  Debian:  sudo apt-get install chromium" >&2
echo "or name one: PLUMBLINE_CHROMIUM=/path/to/chromium make test" >&2
