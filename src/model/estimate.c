/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/estimate.h"
#include "base/alloc.h"

#include <stdarg.h>
#include <string.h>

void et_warn(struct et_warnings *w, const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;

	if (w->n >= ET_MOST_WARNINGS)
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = et_strdup(fmt);
	va_end(ap);
	w->text[w->n++] = text;
}

void et_warnings_free(struct et_warnings *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->text[i]);
	w->n = 0;
}
