#!/usr/bin/env bash
# Runs every fuzz target for so many seconds, a minute unless told: fuzz/run.sh [SECONDS] [TARGET]…
# Needs nightly and cargo-fuzz (cargo install cargo-fuzz). What a target finds is kept in fuzz/artifacts and
# shown; make it a test where it belongs, then mend it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <(cargo +nightly fuzz list)

# Something to begin with, from what the repository knows already.
seed() {
    local folder=fuzz/corpus/$1
    mkdir -p "$folder"
    case $1 in
    arguments)
        printf '\1--query-gpu=index,name\0--format=csv,noheader\0-i\0000' >"$folder/query"
        printf '\0-l\0001\0-f\0x\0--timeout=3' >"$folder/loop"
        printf '\3--json\0-cp' >"$folder/gpustat"
        printf '\0--where=memory.used > 1 GiB and not (index = 0)\0--sort=-memory.used' >"$folder/where"
        ;;
    fields) cut -f1 tests/data/query-gpu-headers.tsv | paste -sd, >"$folder/all" ;;
    devices) printf '0,00000000:1B:00.0,GPU-d9cf858c-5544-5feb-a849-50beeede81f3,1650000000101,0x2,1b:0' >"$folder/all" ;;
    recording)
        cp tests/machines/{strange,empty-answers,h100-mig,lost-gpu,driver-not-loaded}.json "$folder"
        ;;
    text) printf 'a\033]52;c;QQ==\007\302\2332J\370\201\204\200' >"$folder/odd" ;;
    formats) printf '\7a, "b"\377\2\1\2\3\377\3\0\1\0\377\10\033[2J\n\377\6\17\377\1\377\377' >"$folder/cells" ;;
    esac
}

for target in "${targets[@]}"; do
    printf '\n== %s, %s s\n' "$target" "$seconds"
    seed "$target"
    # A recording of some machine is long; everything else is short.
    length=4096
    [[ $target == recording ]] && length=65536
    cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -max_len=$length -timeout=10 -print_final_stats=1 2>&1 |
        grep -vE '^#[0-9]+[[:space:]]+(NEW|REDUCE|RELOAD|pulse)|^INFO|# Uses: |^###### ' || exit 1
done
