/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon completion SHELL`: completion scripts generated from the option tables. */
#include "cmd/cli.h"

#include <errno.h>
#include <string.h>

/* Calls fn for every option of a command, including the common ones. */
static void each_option(
	const struct et_verb *v, void (*fn)(const struct et_verb *v, const struct et_option *o))
{
	for (size_t t = 0; et_verb_table(v, t); t++) {
		for (const struct et_option *o = et_verb_table(v, t); o->name; o++)
			fn(v, o);
	}
}

static bool has_choices(const struct et_option *o)
{
	return et_option_choice(o, 0) || (o->values && strchr(o->values, '|'));
}

static void print_words(const char *values)
{
	for (; *values; values++)
		putchar(*values == '|' ? ' ' : *values);
}

static void print_choices(const struct et_option *o)
{
	if (!et_option_choice(o, 0))
		print_words(o->values);
	for (size_t i = 0; et_option_choice(o, i); i++)
		printf("%s%s", i ? " " : "", et_option_choice(o, i));
}

static bool has_operands(const struct et_verb *v)
{
	return v->operand || (v->operands && strchr(v->operands, '|'));
}

static void print_operands(const struct et_verb *v)
{
	if (!v->operand)
		print_words(v->operands);
	for (size_t i = 0; v->operand && v->operand(i); i++)
		printf("%s%s", i ? " " : "", v->operand(i));
}

/* Prints text that is valid between single quotes in all three shells. */
static void print_quoted(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("’", stdout);
		else
			putchar(*text);
	}
}

static void bash_word(const struct et_verb *v, const struct et_option *o)
{
	(void)v;
	printf(" --%s", o->name);
	if (o->letter)
		printf(" -%c", o->letter);
}

static void bash_choices(const struct et_verb *v, const struct et_option *o)
{
	if (has_choices(o)) {
		printf("\t%s:--%s) COMPREPLY=($(compgen -W '", v->name, o->name);
		print_choices(o);
		printf("' -- \"$cur\")); return ;;\n");
	} else if (o->values) {
		printf("\t%s:--%s) COMPREPLY=($(compgen -%c -- \"$cur\")); return ;;\n", v->name,
			o->name, strcmp(o->values, "USER") ? 'f' : 'u');
	}
}

/* Completes an operand. */
static void bash_operand(const struct et_verb *v)
{
	const char *o = v->operands;

	printf("\t%s) ", v->name);
	if (!o && !v->operand)
		printf("COMPREPLY=($(compgen -f -- \"$cur\"))");
	else if (o && !strcmp(o, "COMMAND"))
		printf("COMPREPLY=($(compgen -c -f -- \"$cur\"))");
	else if (o && !strcmp(o, "STORED"))
		printf("COMPREPLY=($(compgen -f -W "
		       "\"last $(etalon list -q 2>/dev/null | sed '1d;s/ .*//')\" -- \"$cur\"))");
	else {
		printf("COMPREPLY=($(compgen -W '");
		print_operands(v);
		/* A file may follow the word. */
		printf("' -- \"$cur\")); [ ${#COMPREPLY[@]} -gt 0 ] || "
		       "COMPREPLY=($(compgen -f -- \"$cur\"))");
	}
	printf(" ;;\n");
}

static void bash(void)
{
	printf("# bash completion for etalon, made from its option tables\n"
	       "_etalon()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} "
	       "prev=${COMP_WORDS[COMP_CWORD-1]} words\n\tCOMPREPLY=()\n"
	       "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '");
	for (const struct et_verb *const *v = et_verbs; *v; v++)
		printf("%s ", (*v)->name);
	printf("--help --version' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	       "\tcase ${COMP_WORDS[1]}:$prev in\n");
	for (const struct et_verb *const *v = et_verbs; *v; v++)
		each_option(*v, bash_choices);
	printf("\tesac\n\tcase ${COMP_WORDS[1]} in\n");
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		printf("\t%s) words='", (*v)->name);
		each_option(*v, bash_word);
		printf("' ;;\n");
	}
	printf("\tesac\n\tif [[ $cur == -* ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n\t\treturn\n\tfi\n"
	       "\tcase ${COMP_WORDS[1]} in\n");
	for (const struct et_verb *const *v = et_verbs; *v; v++)
		bash_operand(*v);
	printf("\tesac\n}\ncomplete -F _etalon etalon\n");
}

static void zsh_option(const struct et_verb *v, const struct et_option *o)
{
	(void)v;
	printf("\t\t\t'--%s%s[", o->name, o->arg && o->arg[0] != '[' ? "=" : "");
	for (const char *p = o->help; *p; p++) {
		if (strchr("[]:\\", *p))
			putchar('\\');
		fputs(*p == '\'' ? "’" : (char[]){ *p, '\0' }, stdout);
	}
	putchar(']');
	if (o->arg && has_choices(o)) {
		printf(":value:(");
		print_choices(o);
		putchar(')');
	} else if (o->arg) {
		printf(":value:%s", o->values ? "_files" : "");
	}
	printf("' \\\n");
}

static void zsh(void)
{
	printf("#compdef etalon\n# zsh completion for etalon, made from its option tables\n"
	       "_etalon() {\n\tlocal -a commands=(\n");
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		printf("\t\t'%s:", (*v)->name);
		print_quoted((*v)->summary);
		printf("'\n");
	}
	printf("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n"
	       "\tfi\n\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n"
	       "\tcase $command in\n");
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		printf("\t%s)\n\t\t_arguments -s \\\n", (*v)->name);
		each_option(*v, zsh_option);
		if (has_operands(*v)) {
			printf("\t\t\t'1:what:(");
			print_operands(*v);
			printf(")' \\\n");
		}
		printf("\t\t\t'*:file:_files' ;;\n");
	}
	printf("\tesac\n}\n_etalon \"$@\"\n");
}

static void fish_option(const struct et_verb *v, const struct et_option *o)
{
	printf("complete -c etalon -n '__fish_seen_subcommand_from %s' -l %s", v->name, o->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	if (o->arg && o->arg[0] != '[')
		printf(o->values && !has_choices(o) ? " -r" : " -x");
	if (has_choices(o)) {
		printf(" -a '");
		print_choices(o);
		printf("'");
	}
	printf(" -d '");
	print_quoted(o->help);
	printf("'\n");
}

static void fish(void)
{
	printf("# fish completion for etalon, made from its option tables\n");
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		printf("complete -c etalon -n __fish_use_subcommand -f -a %s -d '", (*v)->name);
		print_quoted((*v)->summary);
		printf("'\n");
	}
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		each_option(*v, fish_option);
		if (!has_operands(*v))
			continue;
		printf("complete -c etalon -n '__fish_seen_subcommand_from %s' -a '", (*v)->name);
		print_operands(*v);
		printf("'\n");
	}
}

static const struct {
	const char *name;
	void (*write)(void);
} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_completion = {
	.name = "completion",
	.operands = "bash|zsh|fish",
	.summary = "print a completion script for bash, zsh or fish",
	.usage = "bash|zsh|fish",
	.examples =
		"  mkdir -p ~/.local/share/bash-completion/completions\n"
		"  etalon completion bash > ~/.local/share/bash-completion/completions/etalon\n",
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_operands ops;
	struct et_error err;
	int status = et_cli_parse(cli, &et_verb_completion, argc, argv, NULL, &ops);

	if (status >= 0)
		return status;
	for (size_t i = 0; ops.n_before == 1 && i < ET_LENGTH(shells); i++) {
		if (!strcmp(ops.before[0], shells[i].name)) {
			shells[i].write();
			et_operands_free(&ops);
			return ET_EXIT_DONE;
		}
	}
	et_operands_free(&ops);
	et_fail(&err, EINVAL, ET_EXIT_USAGE, "completion: expected one shell: bash, zsh or fish");
	return et_cli_fail(&err);
}
