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

void et_judgement_free(struct et_judgement *j)
{
	for (size_t i = 0; i < j->n_commands; i++) {
		et_warnings_free(&j->commands[i].elapsed.warnings);
		et_warnings_free(&j->commands[i].cpu.warnings);
		et_warnings_free(&j->commands[i].elapsed_before.warnings);
		et_warnings_free(&j->commands[i].cpu_before.warnings);
		et_warnings_free(&j->commands[i].warnings);
	}
	for (size_t i = 0; i < j->n_contrasts; i++)
		et_warnings_free(&j->contrasts[i].warnings);
	et_warnings_free(&j->warnings);
	free(j->commands);
	free(j->contrasts);
	memset(j, 0, sizeof(*j));
}
