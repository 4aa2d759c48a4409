/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/machine_id.h"

#include <stdio.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

enum { DIGITS = 16 };

bool et_machine_name_valid(const char *name)
{
	size_t len = strspn(name, LETTERS "._-");

	return name[len] == '\0' && len > 0 && len <= ET_MACHINE_MOST_NAME && name[0] != '.' &&
	       name[0] != '-' && name[0] != '_';
}

bool et_machine_is_digest(const char *id)
{
	return strspn(id, "0123456789abcdef") == DIGITS && id[DIGITS] == '\0';
}

const char *et_machine_old_digest(const char *id)
{
	const char *space = strrchr(id, ' ');

	return space && space > id && et_machine_is_digest(space + 1) ? space + 1 : NULL;
}

bool et_machine_id_valid(const char *id)
{
	const char *digest = et_machine_old_digest(id);

	if (!digest)
		return et_machine_name_valid(id);
	for (const char *p = id; p < digest; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	}
	return digest - id - 1 <= ET_MACHINE_MOST_NAME;
}

static bool is_in(const char *digest, const char *id)
{
	const char *old = et_machine_old_digest(id);

	return old && !strcmp(old, digest);
}

bool et_machine_same(const char *a, const char *b)
{
	if (!*a || !*b)
		return false;
	return !strcmp(a, b) || is_in(a, b) || is_in(b, a);
}

void et_machine_label(const char *id, const char *host, char *out, size_t size)
{
	const char *digest = et_machine_old_digest(id);

	if (digest)
		snprintf(out, size, "%.*s", (int)(digest - 1 - id), id);
	else
		snprintf(out, size, "%s", *host && (!*id || et_machine_is_digest(id)) ? host : id);
}
