#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# etalon-glossary(7) explains the names that the output uses.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

page=$root/man/etalon-glossary.7.scd

# The terms, one per line: an entry may explain several.
terms() { sed -nE 's/^\*([^*]+)\*$/\1/p' "$page" | sed 's/, /\n/g'; }
terms >known

# has_terms LABEL NAME…
has_terms()
{
	local missing='' label=$1

	shift
	for name; do
		grep -qixF -- "$name" known || missing+=" $name"
	done
	is "$label" "$missing" ''
}

# The quoted names of a table in the source.
names_of() # names_of FILE PATTERN
{
	sed -nE "/$2/,/;/p" "$root/src/model/$1" | grep -oE '"[a-z-]+"' | tr -d '"'
}

mapfile -t removed < <(names_of sample/sample.c 'et_removed_by_names\[\] =' | grep -v '^kept$')
ok 'glossary: the test finds the causes of removal in the source' [ "${#removed[@]}" -ge 5 ]
has_terms 'glossary: every cause of removal has an entry' "${removed[@]}"
mapfile -t marks < <(sed -nE '/define MARKS/,/^$/p' "$root/src/model/sample/sample.c" |
	grep -oE '"[a-z-]+"' | tr -d '"')
ok 'glossary: the test finds the marks in the source' [ "${#marks[@]}" -ge 8 ]
has_terms 'glossary: every mark has an entry' "${marks[@]}"
has_terms 'glossary: the words of the table and of verdicts have entries' 'CPU time' 'elapsed time' \
	ratio interval pair alone 'side by side' p Holm warm-up sample run
has_terms 'glossary: tests and methods have entries' autocorrelation bootstrap chi-square 'dip test' dither \
	Hodges-Lehmann Kruskal-Wallis Ljung-Box Mann-Kendall 'order statistics' Shapiro-Wilk Šidák 'sign test'
has_terms 'glossary: the headings of rows have entries' 'also ran' 'cold start' 'made of' 'moving mean' \
	note quartile simultaneous
has_terms 'glossary: the shares of elapsed time have entries' 'on CPU' 'runnable while others ran' \
	'asleep or waiting' stolen unexplained
has_terms 'glossary: protocols and arrangements have entries' cause EMP K-best raw solo duet paced

# An entry is a term in bold and at least one indented sentence.
is 'glossary: every entry has an explanation' \
	"$(awk '/^\*/ { if (open) print open; open = $0; next } /^\t[A-Z*-]/ { open = "" }
		END { if (open) print open }' <(sed -n '/^# TERMS/,/^# SEE ALSO/p' "$page" | grep -v '^#'))" ''
is 'glossary: the entries are in alphabetical order' \
	"$(sed -nE 's/^\*([^*]+)\*$/\1/p' "$page" | tr -d ' ,-' | LC_ALL=C sort -cf 2>&1)" ''

# A word in bold that refers to another entry has one.
mapfile -t references < <(sed -n '/^# TERMS/,/^# SEE/p' "$page" | grep -P '^\t' |
	grep -oE '\*[a-zA-Z][^*]+\*' | tr -d '*' | grep -vE '^(etalon |[a-z]{2}$|percentile|BCa|boots|SEDONA)')
ok 'glossary: the test finds references' [ "${#references[@]}" -ge 20 ]
has_terms 'glossary: a word in bold has an entry' "${references[@]}"

done_testing
