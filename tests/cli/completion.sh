#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The completion scripts: valid in their shells, and every option of every command is in them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for shell in bash zsh fish; do
	exits "completion: $shell gets a script" 0 etalon completion $shell
	etalon completion $shell >"$shell.txt"
	if command -v $shell >/dev/null; then
		ok "completion: $shell parses its script" $shell -n "$shell.txt"
	else
		skip "completion: $shell parses its script" "no $shell here"
	fi
done

# The reader has ended before the script is written.
exec 3> >(exec true)
wait $!
etalon completion bash >&3 2>unread.txt
is 'completion: a script that nobody reads ends as a program does after SIGPIPE' $? 141
is 'completion: no message about it' "$(cat unread.txt)" ''
exec 3>&-

# block SHELL COMMAND: the lines about that command
block()
{
	case $1 in
	bash) grep -P "^\t$2\) words=" bash.txt ;;
	zsh) sed -n "/^\t$2)\$/,/;;\$/p" zsh.txt ;;
	fish) grep "__fish_seen_subcommand_from $2'" fish.txt ;;
	esac
}

for command in $(commands); do
	for shell in bash zsh fish; do
		text=$(block $shell "$command")
		missing=
		for option in $(options "$command"); do
			case $shell in
			bash) [[ $text =~ \ --${option}[\ \'] ]] ;;
			zsh) [[ $text =~ \'--${option}[=[] ]] ;;
			fish) [[ $text =~ \ -l\ $option\  ]] ;;
			esac || missing+=" $option"
		done
		is "completion: $shell completes every option of $command" "$missing" ''
	done
done

# complete WORD…: what bash offers for the last word
complete_words()
{
	bash -c '. ./bash.txt; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _etalon
		printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}

like 'completion: bash completes a command' "$(complete_words etalon comple)" '^completion$'
like 'completion: bash completes an option' "$(complete_words etalon completion --he)" '^--help$'
is 'completion: bash completes the choices of an option' \
	"$(complete_words etalon completion --color '' | tr '\n' ' ')" 'auto always never '

is 'completion: bash completes the name of a shell' "$(complete_words etalon completion z)" zsh
is 'completion: bash completes a program under test' "$(complete_words etalon put ma | tr '\n' ' ')" 'matc matr '
is 'completion: bash completes the actions of daemons' "$(complete_words etalon daemons l)" learn
is 'completion: bash completes every experiment of lab' "$(complete_words etalon lab '' | sed 1d | sort)" \
	"$(etalon lab list | sed 's/ .*//' | sort)"
is 'completion: bash completes the options of an experiment of lab' "$(complete_words etalon lab coverage --la)" --law
is 'completion: bash completes no option of another experiment' "$(complete_words etalon lab cache --la | tr '\n' ' ')" '--label '
like 'completion: fish completes every experiment of lab' "$(cat fish.txt)" "from lab' -a 'list .*emp-versions"
like 'completion: zsh completes the actions of daemons' "$(cat zsh.txt)" "'1:what:\\(learn show analyse forget\\)'"
is 'completion: bash completes no option of another action' "$(complete_words etalon env restore --js)" ''
is 'completion: bash completes the options of an action' "$(complete_words etalon env check --js)" --json
is 'completion: bash completes no option of engines after doe status' "$(complete_words etalon doe status --eng)" ''
is 'completion: bash completes the options of engines after doe run' "$(complete_words etalon doe run --eng)" --engine
is 'completion: bash completes all options before an action' "$(complete_words etalon env --js)" --json
like 'completion: zsh offers an option after the actions that take it' "$(block zsh env)" \
	"words\[2\] == \(check\|apply\|-\*\|\) ]] && own\+=\('--only="
like 'completion: zsh offers no option beside one that it excludes' "$(block zsh env)" "'\(--only --except\)''--running\["
like 'completion: fish offers no option of another action' "$(block fish env)" \
	"not __fish_seen_subcommand_from restore; and __fish_seen_subcommand_from env' -l only"
touch daemons.json
is 'completion: bash completes a file after daemons analyse' "$(complete_words etalon daemons analyse daem)" daemons.json
etalon run -q -r 1 true >/dev/null
like 'completion: bash completes the id of a stored experiment' "$(complete_words etalon show 20)" '^20[0-9]{6}-'

refuses 'completion: no shell is rejected' 2 'bash, zsh or fish' etalon completion
refuses 'completion: an unknown shell is rejected' 2 'bash, zsh or fish' etalon completion csh
refuses 'completion: two shells are rejected' 2 'bash, zsh or fish' etalon completion bash zsh

done_testing
