#!/bin/sh
# Indexes a copy of examples/notes in a temporary home and asks it five questions; nothing outside that home is touched.
set -eu
cd "$(dirname "$0")/.."

home=$(mktemp -d "${TMPDIR:-/tmp}/hearth-try.XXXXXX")
trap 'rm -rf "$home"' EXIT
trap 'exit 130' INT TERM
export HEARTH_CONFIG_DIR="$home/config" HEARTH_DATA_DIR="$home/data"
export HEARTH_CACHE_DIR="$home/cache" HEARTH_STATE_DIR="$home/state"
unset HEARTH_VAULT
# Nothing is left running.
export HEARTH_DAEMON_MODE=never

ask() {
    printf '\n# %s\n$ hearth query "%s" -n 2\n' "$1" "$2"
    .venv/bin/python -m hearth query "$2" -n 2 2>&1
}

cp -R examples/notes "$home/notes"
echo '$ hearth bootstrap ~/notes'
.venv/bin/python -m hearth bootstrap "$home/notes"

ask 'an identifier' 'LARDER_IMPORT_CONCURRENCY above 4'
ask 'a reason' 'Why did we stop using JWT for sessions?'
ask 'other words than the note has' 'How do I change leaked passwords and keys?'
ask 'Spanish' '¿Por qué no sirve abrir puertos en el router?'
ask 'what the notes do not know' 'Who painted the ceiling of the Sistine Chapel?'
