#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How fast the store is: a million samples in, then `show` of one experiment among a thousand and
# `list` of all, as a user waits for them. Fails when one of the two takes 0.1 s or more.
#
#   bench/store.sh BUILD/etalon [EXPERIMENTS]
set -euo pipefail
etalon=$1 experiments=${2:-1000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ninja -C "$(dirname "$etalon")" bench/bench-store > /dev/null
"$(dirname "$etalon")/bench/bench-store" "$folder/store.db" "$experiments"
export ETALON_STORE=$folder/store.db

# The median of seven: how long one user waits, not how unlucky one can be.
median() {
	for _ in 1 2 3 4 5 6 7; do
		local start=$EPOCHREALTIME
		"$@" > /dev/null || exit 1
		local end=$EPOCHREALTIME
		echo $((${end/./} - ${start/./}))
	done | sort -n | sed -n 4p
}
status=0
id=$(printf '20251115-085506-%06x' $((experiments / 2)))
for what in "show $id" list; do
	# shellcheck disable=SC2086 # two words
	us=$(median "$etalon" $what)
	printf 'etalon %s: %d.%04d s\n' "$what" $((us / 1000000)) $((us % 1000000 / 100))
	[ "$us" -lt 100000 ] || status=1
done
exit $status
