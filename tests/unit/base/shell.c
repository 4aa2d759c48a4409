/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines for a shell, and those that need one. */
#include "base/shell.h"
#include "base/base.h"
#include "base/parse.h"
#include "tap.h"

static struct et_error err;

static void vectors(void)
{
	char **argv = NULL;

	ok(et_shell_argv("bash --norc", "a | b", &argv, &err) == 0 && et_strv_length(argv) == 4,
		"shell: the words of a shell, -c and the text are the vector");
	is_str(argv[1], "--norc", "shell: an option of the shell is a word of its own");
	is_str(argv[3], "a | b", "shell: the text stays one word");
	et_strv_free(argv);
	ok(et_shell_argv(" ", "true", &argv, &err) < 0, "shell: a shell without a name is refused");
	ok(et_shell_argv("'sh", "true", &argv, &err) < 0, "shell: an open quote is refused");
}

/* Checks which part of text needs a shell; NULL: none. */
static void needs(const char *text, const char *part)
{
	size_t len = 0;
	const char *at = et_shell_syntax(text, &len);
	ET_AUTO_FREE char *found = at ? et_strndup(at, len) : NULL;

	ok(part ? found && !strcmp(found, part) : !found, "shell: in \"%s\" %s%s", text,
		part ? "this needs a shell: " : "nothing needs a shell", part ? part : "");
}

static void syntax(void)
{
	needs("seq 1000 | sort -n", "|");
	needs("true && true", "&");
	needs("cd /tmp; ls", ";");
	needs("sort <data", "<");
	needs("echo a >file", ">");
	needs("echo 2>/dev/null", ">");
	needs("echo $HOME", "$");
	needs("echo ${HOME}", "$");
	needs("echo $((1+1))", "$");
	needs("echo $?", "$");
	needs("ls *.db", "*");
	needs("ls a?", "?");
	needs("ls ~/x", "~");
	needs("echo `date`", "`");
	needs("(true)", "(");
	needs("f)", ")");
	needs("FOO=1 ls", "FOO=1");
	needs("  A_1='x y' ls", "A_1='x");
	needs("echo \"a\"|b", "|");
	needs("grep 'a|b' file", NULL);
	needs("awk '{ print $1 }' file", NULL);
	needs("sh -c \"kill -11 $$\"", NULL);
	needs("grep -E \"a\\\"|b\" file", NULL);
	needs("echo \\| \\$HOME \\*", NULL);
	needs("grep foo$ file", NULL);
	needs("cp file~ file", NULL);
	needs("dd if=/dev/zero of=x", NULL);
	needs("./prog --x=1 A=2", NULL);
	needs("1=2", NULL);
	needs("=x", NULL);
	needs("echo {a,b} [c]", NULL);
	needs("echo 'open | quote", NULL);
	needs("", NULL);
	needs("echo \\", NULL);
}

int main(void)
{
	vectors();
	syntax();
	return tap_done();
}
