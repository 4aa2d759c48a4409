#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every test belongs to a stage of `make check` (tools/check), or is left to `make check-all`, so that none is forgotten.
# Usage: stages.sh MESON BUILD
set -u
if ! type jq >/dev/null 2>&1; then
	echo '1..0 # SKIP jq is not installed'
	exit 0
fi
tests=$("$1" introspect --tests "$2") || exit 1
echo 1..3
count=$(jq length <<<"$tests")
[ "$count" -gt 300 ] || printf 'not '
echo "ok 1 - stages: meson lists the tests ($count)"
left=$(jq -r '.[] | select([.suite[] | sub(".*:"; "")] | any(. == "plain" or . == "sanitized" or . == "check-all") | not) | .name' <<<"$tests")
[ -z "$left" ] || printf 'not '
echo 'ok 2 - stages: every test is plain, sanitized or left to check-all'
# shellcheck disable=SC2001 # each line
[ -z "$left" ] || sed 's/^/# /' <<<"$left"
# If the meson.build of a folder names no tests, its files are the tests, which Meson lists when it is configured.
known=$(jq -r '.[].name' <<<"$tests")
new=
cd "$(dirname "$0")/../unit" || exit 1
while read -r row; do
	folder=${row#./} folder=${folder%/meson.build}
	for file in "$folder"/*.c; do
		name=${file%.c}
		grep -qx "${name//\//-}" <<<"$known" || new+=" $file"
	done
done < <(grep -L "'tests'" -r --include=meson.build . | grep -v '^./meson.build$')
[ -z "$new" ] || printf 'not '
echo "ok 3 - stages: Meson knows every file of tests (or: meson setup --reconfigure)"
[ -z "$new" ] || echo "# not known:$new"
