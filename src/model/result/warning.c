/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/result/warning.h"

#include <assert.h>

const char *const et_severity_names[] = { "note", "warning", NULL };

const struct et_warning_row et_warning_rows[ET_WARNING_CODES] = {
#define ROW(code, name, severity, args, text) { name, ET_SEVERITY_##severity, args, text },
#include "model/result/warning_rows.h"
};

static bool fits(const char *kinds, const struct et_warning_arg args[ET_WARNING_ARGS])
{
	for (size_t i = 0; i < ET_WARNING_ARGS; i++) {
		if ((char)args[i].kind != *kinds)
			return false;
		kinds += *kinds != '\0';
	}
	return true;
}

void et_warnings_add(struct et_warnings *w, enum et_warning_code code,
	const struct et_warning_arg args[ET_WARNING_ARGS])
{
	assert(fits(et_warning_rows[code].args, args));
	ET_GROW(w->list, w->n, w->cap);
	struct et_warning *added = &w->list[w->n++];
	added->code = code;
	for (size_t i = 0; i < ET_WARNING_ARGS; i++) {
		added->args[i] = args[i];
		if (args[i].kind == ET_ARG_TEXT)
			added->args[i].text = et_strdup(args[i].text ? args[i].text : "");
	}
}

void et_warnings_append(struct et_warnings *w, const struct et_warnings *more)
{
	for (size_t i = 0; i < more->n; i++)
		et_warnings_add(w, more->list[i].code, more->list[i].args);
}

bool et_warnings_have(const struct et_warnings *w, enum et_warning_code code)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->list[i].code == code)
			return true;
	}
	return false;
}

void et_warnings_free(struct et_warnings *w)
{
	for (size_t i = 0; i < w->n; i++) {
		for (size_t k = 0; k < ET_WARNING_ARGS; k++)
			free(w->list[i].args[k].text);
	}
	free(w->list);
	*w = (struct et_warnings){ 0 };
}
