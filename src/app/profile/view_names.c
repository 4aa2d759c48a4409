/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of functions for tables: those of C++ are longer than any page. */
#include "app/profile/view_parts.h"
#include "base/alloc.h"
#include "draw/names.h"

#include <string.h>

enum { LONG_NAME = 40 };

#define ANONYMOUS "(anonymous namespace)"
#define OPERATOR "operator"

/* The length of "operator<<" and the like, in which the signs are no brackets; 0: it is none. */
static size_t operator_length(const char *name, const char *at)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "()", "<<", ">>",
		"<=", ">=", "->", "<", ">" };
	size_t n = sizeof(OPERATOR) - 1;
	bool inside = at > name && (at[-1] == '_' || (at[-1] >= 'a' && at[-1] <= 'z') ||
					   (at[-1] >= 'A' && at[-1] <= 'Z'));

	if (inside || strncmp(at, OPERATOR, n) != 0)
		return 0;
	for (size_t i = 0; i < ET_LENGTH(signs); i++) {
		size_t length = strlen(signs[i]);
		if (!strncmp(at + n, signs[i], length))
			return n + length;
	}
	return 0;
}

char *et_profile_short_name(const char *name)
{
	char *out = et_strdup(name), *to = out;
	size_t depth = 0;

	if (et_columns(name) <= LONG_NAME)
		return out;
	for (const char *at = name; *at; at++) {
		size_t whole = depth ? 0
			       : !strncmp(at, ANONYMOUS, sizeof(ANONYMOUS) - 1)
				       ? sizeof(ANONYMOUS) - 1
				       : operator_length(name, at);
		if (whole) {
			memcpy(to, at, whole);
			to += whole;
			at += whole - 1;
			continue;
		}
		if (strchr("<(", *at) && !depth++ && *at == '<') {
			memcpy(to, "<>", 2);
			to += 2;
		} else if (strchr(">)", *at)) {
			depth -= depth > 0;
		} else if (!depth) {
			*to++ = *at;
		}
	}
	*to = '\0';
	return out;
}

/* Puts the parts in which the whole names differ in place of equal short ones. */
static void tell_apart(const char *const *names, char **brief, size_t n, size_t first)
{
	ET_AUTO_FREE const char **whole = et_calloc(n + 1, sizeof(*whole));
	ET_AUTO_FREE size_t *at = et_calloc(n + 1, sizeof(*at));
	size_t same = 0;

	for (size_t i = first; i < n; i++) {
		if (strcmp(brief[i], brief[first]) != 0)
			continue;
		at[same] = i;
		whole[same++] = names[i];
	}
	if (same < 2)
		return;
	char **fitted = et_names_fit(whole, same, LONG_NAME);
	for (size_t i = 0; i < same; i++) {
		free(brief[at[i]]);
		brief[at[i]] = fitted[i];
	}
	free(fitted);
}

char **et_profile_short_names(const char *const *names, size_t n)
{
	char **out = et_calloc(n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = et_profile_short_name(names[i]);
	for (size_t i = 0; i < n; i++)
		tell_apart(names, out, n, i);
	return out;
}
