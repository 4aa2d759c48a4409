#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The recipe for CI in examples/ci, in a repository whose last commit made a program slower.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for tool in git make cc; do
	command -v "$tool" >/dev/null && continue
	skip 'ci: the recipe runs' "$tool is not installed"
	done_testing
done
recipe=$root/examples/ci
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
mkdir repo && cd repo || exit 1
git init -q . && git config user.name test && git config user.email test@example.org
cp "$recipe/Makefile" "$recipe/primes.c" "$recipe/compare.sh" .
printf 'primes\ncomment.md\nresult.json\n' >.gitignore
git add -A && git commit -qm first
cp "$recipe/primes-slower.c" primes.c
git commit -qam slower

exits 'ci: a slower program fails' 5 ./compare.sh HEAD~1 20
like 'ci: the log states the regression' "$err" '^etalon: REGRESSION: head is [0-9.]+ % slower than base \([0-9.]+ … [0-9.]+ %\), limit 20 %$'
like 'ci: the comment begins with the decision' "$(head -n 1 comment.md)" '^REGRESSION: head is '
like 'ci: the comment has the table' "$(cat comment.md)" '\| `head` \|'
is 'ci: the programs ran alone and as duets' \
	"$(jq -r '[.commands[].samples[].arrangement] | unique | join(" ")' result.json)" 'duet solo'
is 'ci: no worktree is left' "$(git worktree list | wc -l)" 1
git revert --no-edit HEAD >/dev/null
make -s clean 2>/dev/null
rm -f primes
exits 'ci: the program as it was before passes' 0 ./compare.sh HEAD~2 20
like 'ci: the log states that it passed' "$err" '^etalon: (no regression|undecided): head is '
like 'ci: the comment has the verdict of the comparison' "$(cat comment.md)" '`head` .*`base`'
done_testing
