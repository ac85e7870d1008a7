#!/bin/sh
# Fetches Claude Code and Codex from PyPI and npm into .clients/, for the tests in tests/journeys/ that drive them.
# They are other people's programs under their own terms: used here, never passed on. Does nothing where they are.
set -eu
cd "$(dirname "$0")/.."

CLAUDE_SDK=0.2.186 # its wheel holds the program
CODEX=0.169.0
clients=$PWD/.clients
work=$clients/.work

case "$(uname -s)-$(uname -m)" in
Linux-x86_64) platform=linux-x64 ;;
Linux-aarch64) platform=linux-arm64 ;;
Darwin-x86_64) platform=darwin-x64 ;;
Darwin-arm64) platform=darwin-arm64 ;;
*) echo "clients.sh: no clients for $(uname -s) on $(uname -m)" >&2 && exit 1 ;;
esac

fresh() {
    rm -rf "$work"
    mkdir -p "$work"
}

if [ ! -x "$clients/claude-$CLAUDE_SDK" ]; then
    fresh
    "${PYTHON:-python3}" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --dest "$work" "claude-agent-sdk==$CLAUDE_SDK"
    "${PYTHON:-python3}" -m zipfile -e "$work"/claude_agent_sdk-*.whl "$work"
    chmod +x "$work/claude_agent_sdk/_bundled/claude"
    mv "$work/claude_agent_sdk/_bundled/claude" "$clients/claude-$CLAUDE_SDK"
fi
if [ ! -x "$clients/codex-$CODEX/bin/codex" ]; then
    fresh
    (cd "$work" && npm pack --silent "@openai/codex@$CODEX-$platform" >/dev/null && tar -xzf openai-codex-*.tgz)
    rm -rf "$clients/codex-$CODEX"
    mv "$work"/package/vendor/* "$clients/codex-$CODEX"
fi
rm -rf "$work"
ln -sfn "claude-$CLAUDE_SDK" "$clients/claude"
ln -sfn "codex-$CODEX/bin/codex" "$clients/codex"
echo "clients: $("$clients/claude" --version), $("$clients/codex" --version)"
