#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Templates to copy (skeleton.c): each is compiled by a unit test, named where a newcomer looks for it,
# and no part of the programs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

cd "$root" || exit 1
templates=$(find src -name skeleton.c | LC_ALL=C sort)
is 'skeleton: these templates exist' "$(tr '\n' ' ' <<<"$templates")" \
	'src/app/lab/skeleton.c src/measure/observe/skeleton.c src/profile/readers/skeleton.c src/store/skeleton.c '

for file in $templates; do
	folder=${file%/skeleton.c}
	layer=$folder # the nearest folder with a row of unit tests
	while [ ! -f "tests/unit/${layer#src/}/meson.build" ] && [ "$layer" != src ]; do
		layer=${layer%/*}
	done
	tests=tests/unit/${layer#src/}
	ok "$file: its unit test exists" test -f "$tests/skeleton.c"
	ok "$file: Meson compiles it with this test" \
		grep -qF "'skeleton': '${file#"$layer/"}'" "$tests/meson.build"
	ok "$file: a README.md names it" grep -qF skeleton.c "$layer/README.md"
	ok "$file: no library contains it" \
		test -z "$(find src -name meson.build -exec grep -h skeleton {} + | grep -v "!= 'skeleton.c'")"
	ok "$file: the comment at its table names it" \
		test -n "$(grep -rlE 'To add a row: copy [a-z/]*skeleton\.c' --include='*.[ch]' "$layer" |
			grep -vF "$file")"
done
for program in "$ETALON" "$(dirname "$ETALON")/etalon-lab"; do
	is "skeleton: ${program##*/} contains no template" \
		"$(grep -cE 'et_(lab|observe|read|is|backend)_skeleton' "$program")" 0
done
done_testing
