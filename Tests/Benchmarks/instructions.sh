#!/usr/bin/env bash
# Prints how many instructions a durable step takes, and an `AsyncOperation` that records nothing.
#
# Runs each under valgrind's callgrind with two numbers of steps: the difference, divided by the additional
# steps, is free of what the process does once.
set -euo pipefail

small=1000
large=3000

fail() {
    echo "instructions.sh: $1" >&2
    exit 1
}

# Prints the instructions of one run. $1 part, $2 number of steps.
counted() {
    local report journal=$work/$1-$2
    mkdir "$journal"
    report=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$program" journal --only "$1" --steps "$2" --folder "$journal" 2>&1) || fail "a run failed: $report"
    sed -n 's/.*Collected : \([0-9]*\)$/\1/p' <<<"$report"
}

command -v valgrind >/dev/null || fail "valgrind is not installed, and nothing else counts here"

package=$(cd "$(dirname "$0")" && pwd)
swift build -c release --package-path "$package" >&2
program=$(swift build -c release --package-path "$package" --show-bin-path)/benchmarks
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for part in plain durable; do
    less=$(counted "$part" "$small")
    more=$(counted "$part" "$large")
    printf '%-8s %8d instructions a step\n' "$part" $(((more - less) / (large - small)))
done
