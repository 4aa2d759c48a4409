#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The recipes of doc/ci.md: their script steps run as GitHub and GitLab run them, on a repository whose last
# commit made a program slower. Stand-ins play the server: its interface, its variables, its packages.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for tool in git make cc curl jq; do
	command -v "$tool" >/dev/null && continue
	skip 'ci: the recipes run' "$tool is not installed"
	done_testing
done
if ! python3 -c 'import yaml' 2>/dev/null; then
	skip 'ci: the recipes run' 'python3-yaml is not installed'
	done_testing
fi
recipe=$root/examples/ci
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
configure() { git config user.name test && git config user.email test@example.org; }

# The project: main, and a branch that is slower.
git init -q -b main project && cd project && configure || exit 1
cp "$recipe/Makefile" "$recipe/primes.c" .
mkdir ci && cp "$recipe"/*.sh ci/
printf 'primes\ncomment.md\nresult.json\n' >.gitignore
git add -A && git commit -qm first
git checkout -qb topic
cp "$recipe/primes-slower.c" primes.c
git commit -qam slower
cd "$work" || exit 1

# A stand-in for etalon's repository, whose `make install` installs the binary under test.
git init -q -b main etalon-repository && cd etalon-repository && configure || exit 1
printf 'deps all:\ninstall:\n\tln -sf %s %s/installed/etalon\n' "$ETALON" "$work" >Makefile
git add -A && git commit -qm first
cd "$work" || exit 1
mkdir installed forge played
rm bin/etalon
for name in sudo apt-get; do
	# shellcheck disable=SC2016 # $@ is the script's
	printf '#!/bin/sh\n[ %s = apt-get ] || exec "$@"\n' $name >played/$name
	chmod +x played/$name
done
# Two runs decide nothing.
# shellcheck disable=SC2016 # $@ is the script's
printf '#!/bin/sh\n[ -z "$FEW" ] || set -- "$@" -r 2\nexec %s/installed/etalon "$@"\n' "$work" >played/etalon
chmod +x played/etalon
PATH=$work/played:$PATH
export TEST_ETALON=$work/etalon-repository

# Of others; one of them begins as ours do.
jq -n '[range(100) | { id: ., body: "comment \(.), not <!-- etalon --> at its beginning", user: { id: 9, type: "User" } }]
	| .[50].body = "<!-- etalon -->\nnot ours" | map(.author = { id: 9 })' >forge/github
cp forge/github forge/gitlab
python3 "$root/tests/cli/forge.py" serve forge &
wait_until '[ -e forge/port ]'
api=http://127.0.0.1:$(cat forge/port)

# play FORGE TOKEN COMMAND…: with the variables that the server sets
play()
{
	local forge=$1 token=$2
	shift 2
	if [ "$forge" = github ]; then
		set -- GITHUB_ACTIONS=true GITHUB_BASE_REF=main GITHUB_REPOSITORY=o/r GITHUB_API_URL="$api" \
			GITHUB_STEP_SUMMARY="$work/summary" ctx_github_token="$token" ctx_github_event_number=7 "$@"
	else
		set -- ${token:+COMMENT_TOKEN="$token"} GITLAB_CI=true CI_API_V4_URL="$api" CI_MERGE_REQUEST_PROJECT_ID=5 \
			CI_MERGE_REQUEST_IID=7 CI_MERGE_REQUEST_DIFF_BASE_SHA="$(git merge-base origin/main HEAD)" "$@"
	fi
	env "$@"
}

# job FORGE TOKEN: the job of a push; sets $status and $log, which is what the job prints
job()
{
	local forge=$1 step failed=0 rc
	rm -rf steps checkout summary installed/etalon
	mkdir steps
	git clone -q --branch topic project checkout
	(cd checkout && git fetch -q origin main:refs/remotes/origin/main)
	python3 "$root/tests/cli/forge.py" steps "$forge" "$root/doc/ci.md" steps || return
	for step in steps/*.sh; do
		[ $failed -eq 0 ] || [ -e "${step%.sh}.always" ] || continue
		(cd checkout && play "$forge" "$2" bash "$work/$step") >>steps/log 2>&1
		rc=$?
		# GitLab's after_script does not change the result of the job.
		[ "$forge" = gitlab ] && [ -e "${step%.sh}.always" ] || failed=$((failed ? failed : rc))
	done
	# shellcheck disable=SC2034 # exits() reads it
	status=$failed
	log=$(cat steps/log)
}

# comments FORGE: those that begin with the marker, without that of others
comments() { jq '[.[] | select(.id >= 100 and (.body | startswith("<!-- etalon -->\n")))]' "forge/$1"; }

change() # change FILE MESSAGE: the program of the branch
{
	cp "$recipe/$1" project/primes.c
	git -C project commit -qam "$2"
}

for forge in github gitlab; do
	[ $forge = github ] || change primes-slower.c 'slower again'
	job $forge writes-4711
	is "ci, $forge: a slower program fails" "$status" 5
	like "ci, $forge: the log states the regression" "$log" 'etalon: REGRESSION: head is [0-9.]+ % slower than base \([0-9.]+ … [0-9.]+ %\), limit 5 %'
	is "ci, $forge: there is one comment" "$(comments $forge | jq length)" 1
	like "ci, $forge: the comment begins with the decision" "$(comments $forge | jq -r '.[0].body' | sed -n 2p)" '^- REGRESSION: `head` is .* slower than `base`'
	like "ci, $forge: the comment has the table" "$(comments $forge | jq -r '.[0].body')" '\| `head` \|'
	is "ci, $forge: the programs ran alone and as duets" \
		"$(jq -r '[.commands[].samples[].arrangement] | unique | join(" ")' checkout/result.json)" 'duet solo'
	is "ci, $forge: no worktree is left" "$(git -C checkout worktree list | wc -l)" 1
	unlike "ci, $forge: the log has no token" "$log" 4711
	id=$(comments $forge | jq '.[0].id')

	change primes.c "as before"
	job $forge writes-4711
	is "ci, $forge: the program as it was before passes" "$status" 0
	like "ci, $forge: the log states that it passed" "$log" 'etalon: (no regression|undecided): head is '
	is "ci, $forge: the same comment was changed, and none added" "$(comments $forge | jq -c 'map(.id)')" "[$id]"
	unlike "ci, $forge: the comment has the new decision" "$(comments $forge | jq -r '.[0].body')" REGRESSION

	FEW=1 job $forge writes-4711
	is "ci, $forge: what is undecided passes" "$status" 0
	like "ci, $forge: the comment says so" "$(comments $forge | jq -r '.[0].body')" '^<!-- etalon -->.- undecided: '

	before=$(cat forge/$forge)
	for token in '' reads-4711; do
		[ $forge = github ] && [ -z "$token" ] && token=nobody-4711
		change primes-slower.c "slower, token '$token'"
		job $forge "$token"
		is "ci, $forge: with the token '$token' the result is the same" "$status" 5
		is "ci, $forge: with the token '$token' no comment changes" "$(cat forge/$forge)" "$before"
		like "ci, $forge: with the token '$token' the log says why" "$log" 'comment.sh: no comment: .* fork'
		unlike "ci, $forge: with the token '$token' the log does not have it" "$log" 4711
		change primes.c "as before, token '$token'"
	done
	[ $forge = gitlab ] || like "ci, github: the summary of the job has the result" "$(cat summary)" 'REGRESSION: `head` is '
	like "ci, $forge: the artifact has the result" "$(cat checkout/comment.md)" 'REGRESSION: `head` is '

	touch forge/html
	job $forge writes-4711
	is "ci, $forge: where a proxy answers, the result is the same" "$status" 0
	like "ci, $forge: where a proxy answers, the log says so" "$log" 'comment.sh: no comment: the answer of http.* is no JSON'
	rm forge/html
	api=http://127.0.0.1:9 job $forge writes-4711
	like "ci, $forge: where no server is, the log has the message of curl" "$log" 'comment.sh: no comment: curl: .*127.0.0.1'
	unlike "ci, $forge: where no server is, no fork is blamed" "$log" fork

	echo 'error' >project/primes.c
	git -C project commit -qam broken
	job $forge writes-4711
	is "ci, $forge: a program that cannot be built fails" $((status != 0)) 1
	like "ci, $forge: the comment does not keep the old result" "$(comments $forge | jq -r '.[0].body')" 'could not be compared'
done
is 'ci: no comment of others was changed' "$(jq '[.[] | select(.body | startswith("comment ") or endswith("not ours"))] | length' forge/github forge/gitlab | xargs)" '100 100'
done_testing
