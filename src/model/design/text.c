/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of plans: {name} in commands, build commands and hooks. */
#include "base/alloc.h"
#include "base/memstream.h"
#include "model/design/design.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Returns the length of the name in braces at s; 0: there is none, or it is a shell's, after a $.
 */
static size_t name_length(const char *text, const char *s)
{
	size_t len = 0;

	if (*s != '{' || (s > text && s[-1] == '$'))
		return 0;
	while (isalnum((unsigned char)s[1 + len]) || s[1 + len] == '_' || s[1 + len] == '-')
		len++;
	return s[1 + len] == '}' && !strchr("0123456789-", s[1]) ? len : 0;
}

bool et_design_names(const char *text, const char *word)
{
	for (const char *s = strchr(text, '{'); s; s = strchr(s + 1, '{')) {
		size_t len = name_length(text, s);
		if (len && strlen(word) == len && !strncmp(s + 1, word, len))
			return true;
	}
	return false;
}

static char *level_of(const struct et_design *d, uint32_t command, const char *name)
{
	for (size_t i = 0; i < d->n_factors; i++) {
		if (!strcmp(d->factors[i].name, name))
			return et_strdup(et_design_level(d, command, i));
	}
	return NULL;
}

int et_design_fill(const struct et_design *d, uint32_t command, const char *text,
	const struct et_design_value *other, char **out, struct et_error *err)
{
	struct et_memstream stream;
	FILE *f = et_memstream_open(&stream);
	int rc = 0;

	for (const char *s = text; rc == 0 && *s; s++) {
		size_t len = name_length(text, s);
		if (!len) {
			putc(*s, f);
			continue;
		}
		ET_AUTO_FREE char *name = et_strndup(s + 1, len);
		ET_AUTO_FREE char *value = other ? other->find(other->ctx, name) : NULL;
		if (!value)
			value = level_of(d, command, name);
		if (value)
			fputs(value, f);
		else
			rc = et_hint(err,
				et_fail(err, ENOENT, ET_EXIT_USAGE, "nothing is named {%s} in '%s'",
					name, text),
				"add a factor of this name; braces with a space inside, { %s }, "
				"are left alone",
				name);
		s += len + 1;
	}
	char *filled = et_memstream_close(&stream);
	if (rc)
		free(filled);
	else
		*out = filled;
	return rc;
}
