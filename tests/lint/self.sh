#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The checks of the source code find what they are for, and pass what is allowed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
tools=$root/tools

# tree FILE TEXT [FILE TEXT]…: a small source tree with these files, in ./tree
tree()
{
	rm -rf tree
	mkdir -p tree/src tree/put
	while [ $# -gt 0 ]; do
		mkdir -p "tree/$(dirname "$1")"
		printf '%b' "$2" >"tree/$1"
		shift 2
	done
}

# finds NAME TOOL REGEX: the tool fails on ./tree and prints a line that matches
finds()
{
	run "$tools/$2" "$work/tree"
	[ "$status" -ne 0 ] || note "$2 found nothing"
	like "$1" "$status $out" "^[1-9][0-9]* .*$3"
}

passes()
{
	ok "$1" "$tools/$2" "$work/tree"
}

inc() { printf '#include "%s"\\n' "$@"; }

tree src/base/a.c "$(inc base/a.h)" src/stats/b.c "$(inc base/a.h num/x.h model/y.h stats/b.h)" \
	src/cmd/c.c "$(inc store/s.h put/put.h)" put/p.c "$(inc base/a.h put/p.h)" \
	src/lib/l.c '#include <etalon/etalon.h>\n' src/dist/r.c '#include <Rmath.h>\n'
passes 'check-layers: accepts includes that the table allows' check-layers
tree src/store/sqlite/a.c "$(inc store/core/s.h)" src/app/doe/a.c "$(inc app/doe/a.h app/run/b.h campaign/c.h)"
passes 'check-layers: accepts rooms of one layer, and a command that a row allows' check-layers
tree src/app/rm/a.c "$(inc app/run/b.h)"
finds 'check-layers: finds a command that uses another one' check-layers 'app/rm may not use app/run'
tree src/campaign/a.c "$(inc app/run/b.h)"
finds 'check-layers: finds a layer that uses a command' check-layers 'campaign may not use app/run'
tree src/base/a.c "$(inc num/x.h)"
finds 'check-layers: finds a back edge' check-layers 'src/base/a.c:1: base may not use num'
tree src/protocol/a.c "int x;\\n$(inc measure/child/run.h)"
finds 'check-layers: finds a later stage that includes an earlier one' check-layers 'a.c:2: protocol may not use measure'
tree src/store/a.h "  #  $(inc report/text.h | cut -c 2-)"
finds 'check-layers: finds a back edge in a header, oddly spaced' check-layers 'store may not use report'
tree put/a.c "$(inc model/sample/sample.h)"
finds 'check-layers: finds a program under test that includes the model' check-layers 'put may not use model'
tree src/base/a.c "$(inc a.h)"
finds 'check-layers: finds an include without its folder' check-layers 'without its folder'
tree src/base/a.c "$(inc ../num/x.h)"
finds 'check-layers: finds an include by a relative path' check-layers 'relative path'
tree src/gadgets/a.c "$(inc base/a.h)"
finds 'check-layers: finds a folder that is not in the table' check-layers 'gadgets has no row'
tree src/stats/a.c '#include <Rmath.h>\n'
finds 'check-layers: finds a library in the wrong folder' check-layers 'belongs to dist'
tree src/cmd/a.c '#include <etalon/etalon.h>\n'
finds 'check-layers: finds the public header in internal code' check-layers 'public face'

tree src/num/a.h 'struct et_x;\nstruct et_y {\nenum et_z { ET_ONE, ET_TWO = ET_ONE };\n' src/num/b.h 'struct et_x {\n/* struct et_y { */\n'
passes 'check-tags: accepts declarations, and tags that one header defines' check-tags
tree src/num/a.h 'struct et_x {\n' src/stats/b.h 'struct et_x {\n'
finds 'check-tags: finds a tag that two headers define' check-tags 'b.h:1: et_x is also defined in src/num/a.h'
tree src/num/a.h 'enum {\n\tET_ONE = 1,\n};\n' src/stats/b.h 'enum et_z { ET_TWO, ET_ONE };\n'
finds 'check-tags: finds an enumerator that two headers define' check-tags 'ET_ONE is also defined'

tree src/lib/bench_a.c 'static int count;\n' src/lib/bench/worker.c '\tgetenv("A");\n'
passes 'check-banned: accepts the main function of benchmark programs' check-banned
tree src/lib/time/kbest.c '\tgetenv("A");\n'
finds 'check-banned: finds getenv in the rest of the library' check-banned 'kbest.c:1: getenv'
tree src/base/a.c '/* strcpy(a, b); */\nconst char *s = "system(1)";\nx->time(ctx);\nstatic int f(void);\n' \
	src/cmd/b.c 'static int count;\nprintf("x");\n'
passes 'check-banned: accepts comments, strings, members and cmd' check-banned
for call in strcpy strcat sprintf gets system atoi open_memstream; do
	tree src/cmd/a.c "\\tif (x)\\n\\t\\t$call (a);\\n"
	finds "check-banned: finds $call" check-banned "a.c:2: $call\\(\\) is banned"
done
for call in getenv printf time exit; do
	tree src/num/a.c "\\t$call(a);\\n"
	finds "check-banned: finds $call below cmd and report" check-banned "a.c:1: $call\\(\\) is for commands"
done
tree src/cmd/a.c '\tfprintf(stderr, "%s", name);\n'
finds 'check-banned: finds a message that is not cleaned' check-banned 'a.c:1: a message may quote'
tree src/num/a.c '\tstatic int count;\n'
finds 'check-banned: finds mutable static data' check-banned 'a.c:1: mutable static data'
tree src/num/a.c 'static struct {\n\tint n;\n} list;\n'
finds 'check-banned: finds a mutable static struct without a name' check-banned 'a.c:1: mutable static data'
tree src/num/a.c 'static const struct {\n\tint n;\n} list[] = { { 1 } };\nstatic struct b *f(void)\n{\n'
passes 'check-banned: accepts constant tables and functions that return structs' check-banned

lines() { printf "$1%.0s" $(seq "$2"); }
body() { printf 'int f(void)\\n{\\n%s}\\n' "$1"; }
tree src/num/a.c "$(body "$(lines '\\ta;\\n' 79)")"
passes 'check-sizes: accepts a function of 80 lines' check-sizes
tree src/num/a.c "$(body "$(lines '\\ta;\\n' 81)")"
finds 'check-sizes: finds a function of more than 80 lines' check-sizes 'f: 82 lines'
tree src/num/a.c "$(body "$(lines '\\tif (a)\\n' 15)")"
finds 'check-sizes: finds a complexity above 15' check-sizes 'f: complexity 16'
tree src/num/a.c "$(lines '\\n' 801)"
finds 'check-sizes: finds a file of more than 800 lines' check-sizes '801 lines'
# crowd FOLDER N: adds N empty files
crowd() { mkdir -p "tree/$1" && (cd "tree/$1" && seq -f 'f%g.h' "$2" | xargs touch); }
tree src/num/a.c ''
crowd src/num 59
crowd src/cmd 30
passes 'check-sizes: accepts a folder of 60 files, and 30 in src/cmd' check-sizes
crowd src/num 60
finds 'check-sizes: finds a folder of more than 60 files' check-sizes 'src/num: 61 files'
tree src/num/a.c ''
crowd src/cmd 31
finds 'check-sizes: finds more than 30 files in src/cmd' check-sizes 'src/cmd: 31 files'

tree src/a.c '' meson.build '' .gitignore '/build*/\n'
passes 'check-root: accepts the files that belong in the root' check-root
mkdir tree/build
passes 'check-root: accepts a build folder in an unpacked release' check-root
tree src/a.c '' notes ''
finds 'check-root: finds a stray file in an unpacked release' check-root 'notes: does not belong'
git -C tree init -q
finds 'check-root: finds a stray file before it is committed' check-root 'notes: does not belong'
git -C tree add notes
finds 'check-root: finds a stray file that git tracks' check-root 'notes: does not belong'
tree src/a.c '' scratch/a ''
finds 'check-root: finds a stray folder' check-root 'scratch: does not belong'
tree src/a.c '' notes '' .gitignore 'notes\n'
git -C tree init -q
passes 'check-root: ignores what git ignores' check-root

check='if a; then\n\tok "x" true\n'
tree tests/cli/a.sh "${check}else\n\tskip x y\nfi\nif b; then\n\techo\nfi\nif root_or_skip x; then\n\tis x 1 1\nfi\n"
passes 'check-skips: accepts checks that are skipped otherwise' check-skips
tree tests/cli/a.sh "cat <<'PY'\n${check}fi\nPY\n$check\tdone_testing\nfi\nif c; then # otherwise: no\n\tok x true\nfi\n"
passes 'check-skips: accepts here documents, the end of a script, and a reason' check-skips
tree tests/cli/a.sh "echo\n${check}fi\n"
finds 'check-skips: finds checks that vanish' check-skips 'a.sh:2: 1 checks vanish'
tree tests/cli/a.sh "if a; then\n\tif b; then\n\t\tok x\n\telse\n\t\tskip x y\n\tfi\nfi\n"
finds 'check-skips: finds a skip that can vanish with its checks' check-skips 'a.sh:1: 1 checks vanish'

if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	tree .clang-format "$(sed 's/$/\\n/' "$root/.clang-format" | tr -d '\n')" src/a.c 'int a;\n'
	mkdir tree/bench tree/examples tree/include tree/tests
	passes 'check-format: accepts a formatted file' check-format
	echo 'int  b;' >>tree/src/a.c
	run "$tools/check-format" "$work/tree"
	like 'check-format: finds a line that is not formatted' "$status $err" '^[1-9].*a.c:2:'
else
	skip 'check-format: finds a line that is not formatted' 'clang-format 14 is not installed'
fi

texts='`src/num/a.c`, `num/a.c`, `a.c`, `*.bpf.c`, `src/num`, `man/etalon-NAME.1.scd` and `seq`.\n'
tree src/num/a.c '/* See src/num/b.bpf.c and /usr/src/linux/a.c. */' src/num/b.bpf.c '' doc/x.md "$texts"
passes 'check-paths: accepts paths of files that exist' check-paths
tree src/num/bench/a.c '' src/num/meson.build "files('bench/a.c')\\n"
passes 'check-paths: accepts a path from the folder of the text' check-paths
for gone in src/num/z.c num/z.c z.c 'z*.c' src/old tools/z; do
	tree src/num/a.c '' README.md "text\\nsee \`$gone\`\\n"
	finds "check-paths: finds '$gone' in a document" check-paths "README.md:2: there is no ${gone//\*/.}"
done
tree src/num/a.c '/* See src/num/z.c. */\n'
finds 'check-paths: finds a missing file in a comment' check-paths 'a.c:1: there is no src/num/z.c'

row='ROW(DRIFT, "drift", WARNING, "", "")\n'
tree src/model/result/warning_rows.h "$row" src/stats/w.c 'ET_WARN_DRIFT' \
	tests/unit/w.c 'ET_WARN_DRIFT' tests/cli/w.sh ''
passes 'check-warnings: accepts a warning that is raised and tested' check-warnings
tree src/model/result/warning_rows.h "$row" tests/cli/w.sh "'drift'"
finds 'check-warnings: finds a warning that is never raised' check-warnings 'DRIFT is never raised'
tree src/model/result/warning_rows.h "$row" src/stats/w.c 'ET_WARN_DRIFT' \
	tests/cli/w.sh 'drift-apart'
finds 'check-warnings: finds a warning that no test knows' check-warnings 'drift.: no test raises it'
tree src/model/result/warning_rows.h 'ROW(DRIFT, WARNING, "", "")\n' src/stats/w.c 'ET_WARN_DRIFT' \
	tests/unit/w.c 'ET_WARN_DRIFT' tests/cli/w.sh ''
finds 'check-warnings: finds a warning without a name' check-warnings 'DRIFT has no name'

mit='/* SPDX-License-Identifier: MIT */\n' gpl='/* SPDX-License-Identifier: GPL-3.0-or-later */\n'
tree src/num/a.c "$mit" src/lib/a.map "$mit" include/etalon/a.hpp '// SPDX-License-Identifier: MIT\n' \
	src/stats/a.h "$gpl" tests/a.c "$mit" tests/b.c "$gpl"
passes 'check-licence: accepts MIT in the parts of libetalon and the GPL in the others' check-licence
tree src/num/a.c "$gpl"
finds 'check-licence: finds a part of libetalon under the GPL' check-licence 'src/num/a.c: .*MIT'
tree src/stats/a.c "$mit"
finds 'check-licence: finds a file of the tool that is not under the GPL' check-licence 'src/stats/a.c: .*GPL'
tree src/lib/a.h 'int a;\n'
finds 'check-licence: finds a file without a licence' check-licence 'src/lib/a.h: '

done_testing
