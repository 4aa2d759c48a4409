#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every command has a man page, completion and its own test, and its man page lists the same options
# as its help.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

# The long options that a page explains: those in lines that begin with a bold option.
page_options()
{
	grep -E '^\*-' "$1" | grep -oE '(^|[*, ])--[a-z][a-z-]*' | sed 's/.*--//' | sort
}

# The short ones, as letter=long.
page_letters()
{
	sed -nE 's/^\*-([A-Za-z])\*, \*--([a-z-]+)\*.*/\1=\2/p' "$1" | sort
}

# The paragraphs of a page that explain an option.
page_paragraph() # page_paragraph FILE OPTION
{
	awk -v option="--$2" '
		/^[^\t]/ { inside = 0 }
		/^\*-/ { line = $0; gsub(/[*,]/, " ", line); n = split(line, words, " ")
			for (i = 1; i <= n; i++) inside = inside || words[i] == option }
		inside' "$1"
}

help_letters()
{
	"$ETALON" "$1" --help all |
		sed -nE '/^options:/,$ s/^ *-([A-Za-z]), --([a-z-]+).*/\1=\2/p' | sort
}

mapfile -t tests < <(find "$root/tests/cli" -name '*.sh' ! -name usage.sh ! -name lib.sh)
common=$root/man/etalon.1.scd
like 'docs: etalon(1) explains the common options' "$(page_options "$common" | tr '\n' ' ')" \
	'^color help progress quiet store verbose version $'

# The help does not list task, which schedulers start.
for command in $(commands) task; do
	page=$root/man/etalon-$command.1.scd
	ok "docs: $command has a man page" test -f "$page" || continue
	ok "docs: the man page of $command is built" \
		grep -qE "^man_pages.*'etalon-$command'|^  '$command'," "$root/man/meson.build" "$root/src/app/meson.build"
	ok "docs: etalon(1) lists $command" grep -q "^\*etalon-$command\*(1)" "$common"
	ok "docs: the man page of $command shows an example" grep -q "^\\\$ .*etalon $command" "$page"
	ok "docs: $command has a test of its own" grep -qE "(etalon|ETALON\"?) $command( |\$)" "${tests[@]}"
	like "docs: bash completes $command" "$(etalon completion bash)" "[' ]$command "

	# These have the options of run, and a page of what differs.
	pages=("$page" "$common")
	case $command in
	hyperfine | emp | profile) pages+=("$root/man/etalon-run.1.scd") ;;
	esac
	is "docs: every option of $command is in its man page" \
		"$(comm -23 <(options "$command" | sort -u) \
			<(for p in "${pages[@]}"; do page_options "$p"; done | sort -u))" ''
	is "docs: the man page of $command has no other options" \
		"$(comm -13 <(options "$command" | sort -u) <(page_options "$page" | sort -u))" ''
	is "docs: the man page of $command has no other option letters" \
		"$(comm -13 <({ help_letters "$command"; page_letters "$common"; } | sort -u) \
			<(page_letters "$page"))" ''
	is "docs: every option letter of $command is in its man page" "$(comm -23 <(help_letters "$command") \
		<(for p in "${pages[@]}"; do page_letters "$p"; done | sort -u))" ''
done

for page in "$root"/man/etalon-*.1.scd; do
	name=$(basename "$page" .1.scd)
	like "docs: the man page $name belongs to a command" " $(commands | tr '\n' ' ')task " " ${name#etalon-} "
done

# Every choice of an option, as completion offers it, is in the paragraph of the man page.
etalon completion fish | sed -nE "s/.*seen_subcommand_from ([a-z]+)' -l ([a-z-]+) .*-a '([^']*)'.*/\\1 \\2 \\3/p" >choices
ok 'completion offers choices of options' grep -q '^run protocol emp kbest raw auto cause$' choices
while read -r command option names; do
	page=$root/man/etalon-$command.1.scd
	[ "$command" != hyperfine ] || page=$root/man/etalon-run.1.scd
	text=$(page_paragraph "$page" "$option")
	[ -n "$text" ] || [[ $command != emp && $command != profile ]] || text=$(page_paragraph "$root/man/etalon-run.1.scd" "$option")
	[ -n "$text" ] || text=$(page_paragraph "$common" "$option")
	missing=
	# The page of profile explains the formats that only a profile has: its options that run does not have.
	[ "$command $option" != 'export format' ] ||
		text+=$'\n'$(comm -13 <(options run | sort) <(page_options "$root/man/etalon-profile.1.scd"))
	for choice in $names; do # in fifo:50 the number is an example
		grep -qwF -- "${choice%%:*}" <<<"${text//[_*]/ }" || missing+=" $choice"
	done
	is "the page of $command lists every choice of --$option" "$missing" ''
done <choices

# Every experiment of lab has its entry in the man page, and the page has no other.
is 'the page of lab explains every experiment of lab list' \
	"$(sed -nE 's/^\*([a-z][a-z-]*)\*$/\1/p' "$root/man/etalon-lab.1.scd" | sort)" \
	"$({ etalon lab list --json | jq -r '.[].name'; echo list; } | sort)"

# The page of plan files explains every key and every kind of factor, and no other.
page=$root/man/etalon-plan.5.scd
schema=$(etalon doe init --schema)
entries() { sed -nE "/^#+ $1\$/,/^#+ $2\$/ s/^\*([a-z-]+)\*\$/\1/p" "$page" | sort; }
is 'docs: etalon-plan(5) explains every key of a plan' "$(entries KEYS PROGRAMS)" \
	"$(jq -r '.properties | keys[]' <<<"$schema" | sort)"
is 'docs: etalon-plan(5) explains every key of a program' "$(entries PROGRAMS FACTORS)" \
	"$(jq -r '.properties.programs.items.properties | keys[]' <<<"$schema" | sort)"
is 'docs: etalon-plan(5) explains every key of a factor' "$(entries FACTORS Kinds)" \
	"$(jq -r '.properties.factors.items.properties | keys[]' <<<"$schema" | sort)"
is 'docs: etalon-plan(5) explains every kind of factor' "$(entries Kinds DESIGNS)" \
	"$(jq -r '.properties.factors.items.properties.kind.oneOf[].const' <<<"$schema" | sort)"

# Every format of export is in its help and an option of run, or of profile.
formats=$(sed -nE 's/^export format //p' choices)
like 'there are export formats' "$formats" '^json hyperfine csv '
for format in $formats; do
	like "export --help describes the format $format" "$(COLUMNS=1000 etalon export --help)" "[ ,]$format \\("
	verb=run
	case $format in
	profile) verb=profile option=json ;;
	profile-csv) verb=profile option=export-csv ;;
	json) option=json ;;
	hyperfine) option=export-json ;;
	html) option=report ;;
	csv) option=export-samples ;;
	summary) option=export-csv ;;
	*)
		option=export-$format
		options run | grep -qx "$option" || verb=profile option=$format
		;;
	esac
	ok "$verb writes the format $format with --$option" grep -qx "$option" <(options $verb)
done

# The recipe for CI in README is the script that cli-ci runs.
is 'docs: the recipe for CI in README is examples/ci/compare.sh' \
	"$(sed -n '/^```sh$/,/^```$/p' "$root/README.md" | grep -v '^```')" \
	"$(sed -n '/^set -eu/,$p' "$root/examples/ci/compare.sh")"

done_testing
