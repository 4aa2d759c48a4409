#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tools/check-prose finds each phrase of fixture/prose-bad in every kind of prose, wherever the line
# breaks, and nothing in fixture/prose-good or in code.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
tool=$root/tools/check-prose
fixture=$root/tests/lint/fixture

# write_all FOLDER NAME SENTENCE: the sentence as a comment, a string and a document. Where lines
# can be joined each word has a line of its own, the first one on line 2.
write_all()
{
	local base=$1/$2 words=${3// /$'\n'}

	mkdir -p "$1"
	printf '\n/* %s */\nint x;\n' "${words//$'\n'/$'\n'" * "}" >"$base.comment.c"
	printf '\n// %s\nint x;\n' "${words//$'\n'/$'\n'// }" >"$base.line.c"
	printf '\nconst char *s = "%s";\n' "${3// / \"$'\n'\"}" >"$base.string.c"
	printf '\n%s\n' "$words" >"$base.md"
	printf '\n%s\n' "$words" >"$base.scd"
	printf '\n# %s\n: x\n' "${words//$'\n'/$'\n'# }" >"$base.comment.sh"
	printf '\nnote "%s"\n' "$3" >"$base.string.sh"
	printf 'cat <<END\n%s\nEND\n' "$words" >"$base.heredoc.sh"
	printf '\n# %s\nx = 1\n' "${words//$'\n'/$'\n'# }" >"$base.build"
}

i=0
while IFS=$'\t' read -r _ sentence; do
	i=$((i + 1))
	write_all bad $i "$sentence"
done <"$fixture/prose-bad"
exits 'check-prose: fails when it finds a phrase' 1 "$tool" "$work/bad"
found=$out
i=0
while IFS=$'\t' read -r rule sentence; do
	i=$((i + 1))
	is "check-prose: finds '$sentence'" \
		"$(grep -F "/bad/$i." <<<"$found" | grep -cF "[$rule]")" 9
done <"$fixture/prose-bad"
like 'check-prose: prints the line on which a phrase begins' "$found" \
	"/bad/19.comment.c:3: 'gives every changed setting back': write restored"
while read -r rule; do
	[ "$rule" = label ] || ok "check-prose: the fixture tries the rule '$rule'" \
		grep -q "^$rule	" "$fixture/prose-bad"
done < <("$tool" --rules)

i=0
while IFS= read -r sentence; do
	i=$((i + 1))
	write_all good $i "$sentence"
done <"$fixture/prose-good"
exits 'check-prose: passes on plain English' 0 "$tool" "$work/good"
is 'check-prose: prints nothing about plain English' "$out$err" ''

mkdir code labels
cat >code/a.c <<'END'
#include "behind/seldom.h"
int behind = goes(on), seldom; /* plain */
END
printf '%s\n' '# What happens' 'Call `goes on`.' '' '```' 'What goes on' '```' >code/a.md
printf '%s\n' '#!/bin/sh' 'behind=$((1 << seldom))' 'goes on' "echo 'it'\\''s'" >code/a.sh
cp "$root/tests/lint/fixture/prose-bad" code/data.txt
exits 'check-prose: ignores code, headings and data' 0 "$tool" "$work/code"

cat >labels/bad.c <<'END'
void f(void)
{
	ok(a == b,
	   "and is equal");
	is_str(a, "x", "is found");
}
END
cat >labels/bad.sh <<'END'
is 'as before' "$a" b
holds $? "which is kept"
END
run "$tool" "$work/labels"
is 'check-prose: finds labels that are half sentences' "$(grep -oE 'bad.*\[label\]' <<<"$out" | cut -d ' ' -f 1 | tr '\n' ' ')" \
	'bad.c:4: bad.c:5: bad.sh:1: bad.sh:2: '
cat >labels/bad.c <<'END'
void f(void)
{
	print("and is equal");
	ok(a == b, "f: a and b are equal");
	is_str(a, "none", "f: the method is none");
}
END
printf '%s\n' 'is "show: a removed sample is listed" "$a" "and b"' >labels/bad.sh
exits 'check-prose: passes on labels that stand alone' 0 "$tool" "$work/labels"

done_testing
