#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The bootstrap beside R's boot, n = 1000: mean and sd together against boot's sd alone.
# boot needs 4 GB for 10^6 replicates, so it runs R_REPLICATES of them and is scaled up.
# Taken in turns, the smallest of ROUNDS counts; CPU time is what a busy machine leaves comparable,
# but for two threads the clock counts. Usage: bench/bootstrap.sh [build folder]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build} n=1000 b=${REPLICATES:-1000000} rb=${R_REPLICATES:-20000} rounds=${ROUNDS:-5}
bin=$build/bench-bootstrap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cc -O2 -std=gnu17 -D_GNU_SOURCE -Isrc -o "$bin" bench/bootstrap.c "$build/src/stats/libstats.a" \
	"$build/src/num/libnum.a" "$build/src/model/libmodel.a" "$build/src/base/libbase.a" \
	-l:libRmath.a -lm -lpthread

variants='1:portable:percentile 1:portable:bca 1:auto:percentile 1:auto:bca 2:auto:percentile 2:auto:bca 1:auto:t'
i=0
while [ $i -lt "$rounds" ]; do
	for v in $variants; do
		# shellcheck disable=SC2046
		"$bin" $n "$b" $(echo "$v" | tr : ' ') 2>> "$tmp/answers" >> "$tmp/$v"
	done
	if command -v Rscript > /dev/null; then
		Rscript bench/bootstrap.R $n "$rb" | awk -v k="$b" -v r="$rb" '{ print $1 * k / r, $2 * k / r }' \
			>> "$tmp/R"
	fi
	i=$((i + 1))
done

if [ "$(sort -u "$tmp/answers" | wc -l)" != 1 ]; then
	echo "the answers differ between threads, widths or methods" >&2
	exit 1
fi
# best FILE COLUMN
best() {
	[ ! -s "$1" ] || awk -v c="$2" '{ print $c }' "$1" | sort -n | head -1
}

r_clock=$(best "$tmp/R" 1) r_cpu=$(best "$tmp/R" 2)
echo "$b replicates of mean and sd, n = $n${r_cpu:+ (R boot, sd: $r_clock s by the clock, $r_cpu s CPU)}"
echo "threads width method     clock      CPU   times as fast as boot"
for v in $variants; do
	clock=$(best "$tmp/$v" 1) cpu=$(best "$tmp/$v" 2)
	case $v in
	1:*) ratio=$(echo "${r_cpu:-0} $cpu" | awk '{ printf "%.0f", $1 / $2 }') ;;
	*) ratio=$(echo "${r_clock:-0} $clock" | awk '{ printf "%.0f", $1 / $2 }') ;;
	esac
	printf '%-22s %8.3f %8.3f   %s\n' "$(echo "$v" | tr : ' ')" "$clock" "$cpu" "$ratio"
done
