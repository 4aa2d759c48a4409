#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# For CI: is the program of this checkout slower than that of the branch it will be merged into?
# Usage: compare.sh [BASE [LIMIT]]   BASE is a branch or commit (origin/main), LIMIT percent (5)
#
# Builds both, runs them side by side, so that a busy runner slows both, and writes comment.md for
# the pull request (comment.sh). The exit status is that of etalon: 5 if it became slower than LIMIT allows.
set -eu
base=${1:-origin/main} limit=${2:-5}
work=$(mktemp -d)
trap 'git worktree remove --force "$work/base" 2>/dev/null; rm -rf "$work"' EXIT

rm -f comment.md
git worktree add --quiet --detach "$work/base" "$base"
make -s -C "$work/base"
make -s
etalon run --store "sqlite:$work/store.db" --fail-on-regression="$limit" --time-limit 5m \
	-n base -n head "$work/base/primes" ./primes \
	--export-markdown comment.md --json result.json
