#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make install` installs what the man pages refer to. $BUILD is the build folder, $MESON is meson.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

: "${BUILD:=$root/build}" "${MESON:=meson}"
if ! type jq >/dev/null 2>&1; then
	echo '1..0 # SKIP jq is not installed'
	exit 0
fi

# Source and destination of all that is installed: files, and folders with what is in them.
$MESON introspect --installed "$BUILD" | jq -r 'to_entries[] | "\(.key)\t\(.value)"' >installed
ok 'install: meson lists what is installed' [ -s installed ]

# destination SOURCE: where a file of the repository is installed, alone or with its folder; or nothing
destination()
{
	local from to source=$root/$1
	while IFS=$'\t' read -r from to; do
		case $source in
		"$from") echo "$to" ;;
		"$from"/*) echo "$to/${source#"$from"/}" ;;
		esac
	done <installed
}

documents=$(grep -ohE '\bdoc/[a-z-]+\.md' "$root"/man/*.scd | sort -u)
ok 'install: the man pages refer to documents' [ -n "$documents" ]
for document in $documents; do
	like "install: $document of a man page is installed" "$(destination "$document")" \
		"/share/doc/etalon/$document\$"
done
for file in README.md CHANGELOG.md COPYING COPYING.MIT doc/ci.md examples/ci/compare.sh examples/ci/comment.sh examples/ci/Makefile; do
	like "install: $file is installed" "$(destination "$file")" "/share/doc/etalon/$file\$"
done
is 'install: the schema of plans is installed once' "$(destination doc/plan.schema.json | grep -c 'share/etalon/')" 1

done_testing
