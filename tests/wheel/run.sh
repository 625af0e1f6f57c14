#!/bin/sh
# Build the wheel, install it alone in a fresh environment, and use it from a folder that is not the checkout.
set -eu
python="$1"
root="$(cd "$(dirname "$0")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

"$root/$python" -m build --wheel --sdist --outdir "$work/dist" "$root" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
if command -v g++ >/dev/null; then # the machine has what it takes to compile the kernels, so the wheel carries them
    "$root/$python" -m zipfile -l "$work"/dist/*.whl | grep -q 'kernels/cpu/built/.*x86-64-v3' || { echo "the wheel has no compiled kernels"; cat "$work/build.log"; exit 1; }
fi
"$root/$python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet "$work"/dist/*.whl
cp "$root/tests/wheel/try_wheel.py" "$work/"
cd "$work"
"$work/venv/bin/python" -I try_wheel.py
"$work/venv/bin/kiln-contract" schema ChatCompletionRequest >request.schema.json
printf '{"messages": [{"role": "user", "content": "hi"}]}' | "$work/venv/bin/kiln-contract" validate --as ChatCompletionRequest -
if printf '{"messages": 1}' | "$work/venv/bin/kiln-contract" validate --as ChatCompletionRequest -; then
    echo "the command accepted a bad document"; exit 1
fi
echo "wheel: works alone"
