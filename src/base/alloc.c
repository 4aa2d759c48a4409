/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static void *have(void *p)
{
	static const char message[] = "etalon: out of memory\n";

	if (!p) {
		if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
			_exit(ET_EXIT_OUTSIDE);
		_exit(ET_EXIT_OUTSIDE);
	}
	return p;
}

void *et_alloc(size_t size)
{
	return have(malloc(size ? size : 1));
}

void *et_calloc(size_t n, size_t size)
{
	return have(calloc(n ? n : 1, size ? size : 1));
}

void *et_realloc(void *p, size_t n, size_t size)
{
	return have(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *et_strdup(const char *s)
{
	return have(strdup(s));
}

char *et_strndup(const char *s, size_t n)
{
	return have(strndup(s, n));
}

char *et_vasprintf(const char *fmt, va_list ap)
{
	char *out = NULL;

	return have(vasprintf(&out, fmt, ap) < 0 ? NULL : out);
}

char *et_asprintf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *out = et_vasprintf(fmt, ap);
	va_end(ap);
	return out;
}

void et_append(char **text, const char *between, const char *fmt, ...)
{
	char *old = *text;
	va_list ap;

	va_start(ap, fmt);
	char *more = et_vasprintf(fmt, ap);
	va_end(ap);
	if (!old) {
		*text = more;
		return;
	}
	*text = et_asprintf("%s%s%s", old, between, more);
	free(more);
	free(old);
}
