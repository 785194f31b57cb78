#!/usr/bin/env bash
# Checks that pyarrow reads what jostle writes, and the other way round: runs arrow_both_ways.py in a virtual environment under
# target/.
# Usage: arrow.sh JOSTLE
set -euo pipefail
cd "$(dirname "$0")/.."
jostle=$(realpath "$1")
venv=${CARGO_TARGET_DIR:-target}/pyarrow
if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
    echo 'skipped: python3 with venv is not installed'
    exit 0
fi
if ! "$venv/bin/python" -c 'import pyarrow' 2>/dev/null; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check 'pyarrow>=16'
fi
"$venv/bin/python" .ci/arrow_both_ways.py "$jostle"
