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
if [ -s comment.md ]; then
	cat comment.md >>"$work/comment"
else
	echo 'The programs could not be compared: see the log of the job.' >>"$work/comment"
fi
if [ -n "${GITHUB_ACTIONS:-}" ]; then
	cat "$work/comment" >>"$GITHUB_STEP_SUMMARY"
	all=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments
	one=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/comments
	change=PATCH token=${GH_TOKEN:-} header='Authorization: Bearer'
else
	all=$CI_API_V4_URL/projects/$CI_MERGE_REQUEST_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
	one=$all change=PUT token=${COMMENT_TOKEN:-} header=PRIVATE-TOKEN:
fi
# In a file: other processes can see the arguments of a command.
printf '%s %s\n' "$header" "$token" 'Content-Type:' application/json >"$work/headers"
jq -Rs '{ body: . }' "$work/comment" >"$work/body"

call() { curl -fsS -H "@$work/headers" "$@"; }

# Prints the number of the comment of an earlier push, if there is one.
find_comment()
{
	page=1
	while call "$all?per_page=100&page=$page" >"$work/page"; do
		id=$(jq --arg m "$marker" 'map(select(.body | startswith($m)).id)[0] // empty' "$work/page")
		if [ -n "$id" ] || [ "$(jq length "$work/page")" -lt 100 ]; then
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
		call -X "$change" -d "@$work/body" "$one/$id" >"$work/answer"
	else
		call -d "@$work/body" "$all" >"$work/answer"
	fi
}

if [ -z "$token" ] || ! comment; then
	echo "comment.sh: no comment: there is no token that may write one, as in a fork" >&2
fi
