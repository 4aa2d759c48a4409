/* SPDX-License-Identifier: MIT */
#include "base/shell.h"
#include "base/parse.h"

#include <ctype.h>

int et_shell_argv(const char *shell, const char *text, char ***out, struct et_error *err)
{
	char **words;
	int rc = et_split_words(shell, &words, err);

	if (rc)
		return rc;
	size_t n = et_strv_length(words);
	words = et_realloc(words, n + 3, sizeof(*words));
	words[n] = et_strdup("-c");
	words[n + 1] = et_strdup(text);
	words[n + 2] = NULL;
	*out = words;
	return 0;
}

bool et_shell_builtin(const char *name)
{
	static const char all[] =
		"cd export source . alias ulimit umask set unset exec eval wait for "
		"while if exit : trap command type";

	return et_list_has(all, " ", name, strlen(name));
}

/* The length of "NAME=value" at the beginning of a command line, which sets a variable; or 0. */
static size_t assignment(const char *text)
{
	size_t n = 0;

	if (isdigit((unsigned char)text[0]))
		return 0;
	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n && text[n] == '=' ? strcspn(text, " \t\n") : 0;
}

/* Returns the place after the quoted text that begins at p. */
static const char *skip_quoted(const char *p)
{
	char quote = *p++;

	for (; *p && *p != quote; p++) {
		if (quote == '"' && *p == '\\' && p[1])
			p++;
	}
	return *p ? p + 1 : p;
}

static bool is_syntax(const char *p, bool begins_word)
{
	if (*p == '$')
		return p[1] && (isalnum((unsigned char)p[1]) || strchr("_{($?!#*@-", p[1]));
	if (*p == '~')
		return begins_word;
	return strchr("|&;<>()`*?", *p) != NULL;
}

const char *et_shell_syntax(const char *text, size_t *len)
{
	const char *p = text + strspn(text, " \t\n");
	bool begins_word = true;

	*len = assignment(p);
	if (*len)
		return p;
	while (*p) {
		if (*p == '\'' || *p == '"') {
			p = skip_quoted(p);
			begins_word = false;
			continue;
		}
		if (*p == '\\' && p[1]) {
			p += 2;
			begins_word = false;
			continue;
		}
		if (is_syntax(p, begins_word)) {
			*len = 1;
			return p;
		}
		begins_word = isspace((unsigned char)*p++);
	}
	return NULL;
}
