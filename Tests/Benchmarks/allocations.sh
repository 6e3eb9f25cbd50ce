#!/usr/bin/env bash
# Prints how many heap blocks, and how many bytes, each task allocates.
#
# Runs each variant under valgrind with two numbers of tasks: the difference, divided by the
# additional tasks, is free of what the process allocates once. Usage:
#
#   Tests/Benchmarks/allocations.sh [WORKLOAD VARIANT]
#
# Without arguments, the variants below. `benchmarks --list` shows all the names.
set -euo pipefail

small=1000
large=3000
variants=(
    "fan-out|JobController on TaskQueue"
    "fan-out|JobController on OperationQueue"
    "fan-out|OperationQueue"
    "fan-out|withTaskGroup"
    "fan-out|floor: bare Operation, no queue"
    "fan-out|ideal: lock, array, two threads"
    "sequential steps|JobController on TaskQueue"
    "sequential steps|OperationQueue"
    "sequential steps|withTaskGroup"
    "nested jobs of 100 tasks|JobController on TaskQueue"
    "nested jobs of 100 tasks|OperationQueue"
    "observed fan-out|progress asked for"
    "observed fan-out|one empty JobObserver"
    "observed fan-out|one TimelineRecorder"
)

fail() {
    echo "allocations.sh: $1" >&2
    exit 1
}

# Prints "BLOCKS BYTES" that one run allocates. $1 workload, $2 variant, $3 number of tasks.
allocated() {
    local report
    report=$(valgrind --tool=memcheck --leak-check=no --undef-value-errors=no \
        "$program" repeat "$1" "$2" --size "$3" 2>&1) || fail "a run failed: $report"
    sed -n 's/.*total heap usage: \([0-9,]*\) allocs, .* \([0-9,]*\) bytes allocated/\1 \2/p' \
        <<<"$report" | tr -d ,
}

command -v valgrind >/dev/null || fail "valgrind is not installed, and nothing else counts here"
if [[ $# -eq 2 ]]; then
    variants=("$1|$2")
elif [[ $# -ne 0 ]]; then
    fail "give a workload and a variant, or nothing"
fi

package=$(cd "$(dirname "$0")" && pwd)
swift build -c release --package-path "$package" >&2
program=$(swift build -c release --package-path "$package" --show-bin-path)/benchmarks

printf '%-26s %-34s %12s %8s\n' workload variant allocations bytes
for entry in "${variants[@]}"; do
    workload=${entry%%|*}
    variant=${entry#*|}
    read -r small_blocks small_bytes <<<"$(allocated "$workload" "$variant" "$small")"
    read -r large_blocks large_bytes <<<"$(allocated "$workload" "$variant" "$large")"
    [[ -n ${small_blocks:-} && -n ${large_blocks:-} ]] || fail "valgrind printed no heap usage"
    awk -v workload="$workload" -v variant="$variant" -v tasks=$((large - small)) \
        -v blocks=$((large_blocks - small_blocks)) -v bytes=$((large_bytes - small_bytes)) \
        'BEGIN { printf "%-26s %-34s %12.1f %8.0f\n", workload, variant, blocks / tasks, bytes / tasks }'
done
