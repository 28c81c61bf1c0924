#!/usr/bin/env bash
# What a GPU gives, in a few minutes: links like the processor's, pairs a second by batch size, memory.
#
#     benchmarks/speed/device.sh PAIRS            # on a GPU
#     benchmarks/speed/device.sh PAIRS --device cpu --limit 32 --batch-size 16    # a dry run anywhere
set -euo pipefail
if command -v nvidia-smi > /dev/null; then
    nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv
fi
exec "${PYTHON:-python}" "$(dirname "$0")/device_speed.py" "$@"
