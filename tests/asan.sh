#!/usr/bin/env bash
# rsmi and the fake library under AddressSanitizer, with noise in every call: codes, bytes, texts without an
# end, lengths beyond the room. tests/asan.sh [SEEDS], 2000 unless told. Needs nightly. Every run must end by
# itself, with a status that the README documents and no word from the sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
seeds=${1:-2000}
target=x86_64-unknown-linux-gnu
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/asan
# The program hands its sanitizer on to the library that it loads.
RUSTFLAGS='-Zsanitizer=address -Clink-arg=-rdynamic' cargo +nightly build --workspace --target $target

built=$CARGO_TARGET_DIR/$target/debug
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Leaks are no matter: the process leaves its driver to the kernel on purpose.
export ASAN_OPTIONS=detect_leaks=0:exitcode=99:abort_on_error=0
export RSMI_NVML=$built/libfake_nvml.so
fields=$(cut -f1 tests/data/query-gpu-headers.tsv | grep -vx timestamp | paste -sd,)

# Without noise all is well: what follows is not the failure of something else.
FAKE_NVML_MACHINE=tests/machines/h200x8.json "$built/rsmi" "--query-gpu=$fields" --format=csv >"$scratch/healthy"
[[ $(wc -l <"$scratch/healthy") -eq 9 ]]
# The count, so that there is something to show.
export spared='nvmlDeviceGetCount_v2 -> value 3'

# One process of two: half of the seeds.
half() {
    local seed status line machine failed=0
    local machines=(h200x8 h100-mig h200-odd-processes lost-gpu-late)
    for ((seed = $1; seed < seeds; seed += 2)); do
        machine=${machines[seed / 2 % 4]}
        case $((seed / 8 % 6)) in
        0) line=("--query-gpu=$fields" --format=csv) ;;
        1) line=("--query-gpu=$fields" --format=json) ;;
        2) line=(nvidia-smi "--query-gpu=$fields" --format=csv) ;;
        3) line=(--query-compute-apps=pid,name,used_memory --format=csv) ;;
        4) line=() ;;
        5) line=(nvidia-smi) ;;
        esac
        status=0
        FAKE_NVML_MACHINE=tests/machines/$machine.json FAKE_NVML_RANDOM=$seed:$((seed % 3 * 45 + 10)) \
            FAKE_NVML_FAULTS=$spared \
            timeout 20 "$built/rsmi" "${line[@]}" >"$scratch/out$1" 2>"$scratch/err$1" || status=$?
        case $status in
        0 | 2 | 3 | 4 | 6 | 8 | 9 | 10 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 255) ;;
        *) failed=1 ;;
        esac
        if ((failed)) || grep -qE 'AddressSanitizer|panicked|fake-nvml:' "$scratch/err$1"; then
            printf 'seed %s on %s, status %s: %s\n' "$seed" "$machine" "$status" "${line[*]:0:80}" >&2
            head -n 30 "$scratch/err$1" >&2
            return 1
        fi
    done
}
half 0 & first=$!
half 1 & second=$!
ended=0
wait $first || ended=1
wait $second || ended=1
((ended == 0)) && echo "$seeds seeds under AddressSanitizer, none failed"
exit $ended
