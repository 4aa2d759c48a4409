#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# For CI: comments on the pull request (GitHub) or merge request (GitLab) with comment.md, or changes the
# comment of an earlier push. Without a token that may write, as in a fork, the summary of the job has it only.
# Needs curl and jq. GH_TOKEN and NUMBER (GitHub) or COMMENT_TOKEN (GitLab) are of the job; see doc/ci.md.
set -eu
umask 077
marker='<!-- etalon -->' # hidden, and how the comment is found again
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "$marker" >"$work/comment"
if [ -s comment.md ] && [ ! -L comment.md ]; then
	cat comment.md >>"$work/comment"
else
	echo 'The programs could not be compared: see the log of the job.' >>"$work/comment"
fi
if [ -n "${GITHUB_ACTIONS:-}" ]; then
	cat "$work/comment" >>"$GITHUB_STEP_SUMMARY"
	api=$GITHUB_API_URL
	all=$api/repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments
	one=$api/repos/$GITHUB_REPOSITORY/issues/comments
	change=PATCH token=${GH_TOKEN:-} header='Authorization: Bearer'
else
	api=$CI_API_V4_URL
	all=$api/projects/$CI_MERGE_REQUEST_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
	one=$all change=PUT token=${COMMENT_TOKEN:-} header=PRIVATE-TOKEN:
fi
# In a file: other processes can see the arguments of a command.
printf '%s %s\n' "$header" "$token" 'Content-Type:' application/json >"$work/headers"
jq -Rs '{ body: . }' "$work/comment" >"$work/body"

# call ARGUMENT…: writes the answer to $work/answer, and what went wrong to $work/why
call() { curl -fsS -H "@$work/headers" -o "$work/answer" "$@" 2>"$work/why"; }

# read_answer FILTER OPTION…: prints what jq finds in the answer, which must be JSON
read_answer() { jq -er "$@" "$work/answer" 2>/dev/null || ! echo "the answer of $api is no JSON of it" >"$work/why"; }

# Prints the number of our comment of an earlier push, if there is one. Others may begin theirs with the
# marker, too: ours is of this token's user. The token of a job on GitHub has none, but comments as a bot.
find_comment()
{
	me=0 page=1
	if call "$api/user"; then
		me=$(read_answer .id) || return 1
	fi
	while call "$all?per_page=100&page=$page"; do
		# shellcheck disable=SC2016 # the variables are jq's
		id=$(read_answer --arg m "$marker" --argjson me "$me" 'map(select(.body // "" | startswith($m))
			| select(.user // .author | .id == $me or .type == "Bot").id)[0] // ""') || return 1
		if [ -n "$id" ] || [ "$(jq length "$work/answer")" -lt 100 ]; then
			echo "$id"
			return 0
		fi
		page=$((page + 1))
	done
	return 1
}

comment()
{
	id=$(find_comment) || return 1
	if [ -n "$id" ]; then
		call -X "$change" -d "@$work/body" "$one/$id" || return 1
	else
		call -d "@$work/body" "$all" || return 1
	fi
	read_answer .id >"$work/id"
}

if [ -z "$token" ] || ! comment; then
	why='there is no token that may write one, as in a fork'
	[ -z "$token" ] || grep -q 'returned error: 40[13]' "$work/why" || why=$(cat "$work/why")
	echo "comment.sh: no comment: $why" >&2
fi
