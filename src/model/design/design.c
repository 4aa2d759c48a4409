/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/design/design.h"
#include "base/memstream.h"
#include "base/parse.h"

#include <ctype.h>

const char *const et_design_blocks_names[] = { "none", "round", "machine", NULL };

static const char *const on_off[] = { "on", "off", NULL };
static const char *const affinities[] = { "none", "compact", "scatter", NULL };
static const char *const huge_pages[] = { "always", "madvise", "never", NULL };

#define ROW(kind, ...) [ET_KIND_##kind] = { __VA_ARGS__ },
const struct et_factor_kind et_factor_kinds[ET_KINDS_OF_FACTORS] = {
#include "model/design/kind_rows.h"
};
#undef ROW

#define ROW(kind, name, ...) [ET_KIND_##kind] = (name),
const char *const et_kind_names[ET_KINDS_OF_FACTORS + 1] = {
#include "model/design/kind_rows.h"
};
#undef ROW

struct et_design *et_design_new(void)
{
	struct et_design *d = et_calloc(1, sizeof(*d));

	d->replications = 31;
	d->discard = 1;
	return d;
}

void et_design_free(struct et_design *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_factors; i++) {
		struct et_design_factor *f = &d->factors[i];
		free(f->name);
		free(f->variable);
		et_strv_free(f->levels);
		et_strv_free(f->objects);
		free(f->generator);
	}
	for (size_t i = 0; i < d->n_programs; i++) {
		struct et_design_program *p = &d->programs[i];
		free(p->name);
		free(p->command);
		free(p->build);
		free(p->input);
	}
	for (size_t i = 0; i < d->n_treatments; i++) {
		free(d->treatments[i].name);
		free(d->treatments[i].levels);
	}
	free(d->name);
	free(d->source);
	free(d->factors);
	free(d->programs);
	free(d->treatments);
	free(d->response);
	free(d->setup);
	free(d->between);
	free(d->reboot);
	free(d);
}

struct et_design_factor *et_design_add_factor(struct et_design *d, const char *name)
{
	d->factors = et_realloc(d->factors, d->n_factors + 1, sizeof(*d->factors));
	struct et_design_factor *f = &d->factors[d->n_factors++];
	*f = (struct et_design_factor){ .name = et_strdup(name) };
	return f;
}

struct et_design_program *et_design_add_program(struct et_design *d, const char *name)
{
	d->programs = et_realloc(d->programs, d->n_programs + 1, sizeof(*d->programs));
	struct et_design_program *p = &d->programs[d->n_programs++];
	*p = (struct et_design_program){ .name = et_strdup(name) };
	return p;
}

struct et_treatment *et_design_add_treatment(struct et_design *d, const uint32_t *levels)
{
	d->treatments = et_realloc(d->treatments, d->n_treatments + 1, sizeof(*d->treatments));
	struct et_treatment *t = &d->treatments[d->n_treatments++];
	struct et_memstream m;
	FILE *f = et_memstream_open(&m);

	for (size_t i = 0; i < d->n_factors; i++)
		fprintf(f, "%s%s=%s", i ? "," : "", d->factors[i].name,
			d->factors[i].levels[levels[i]]);
	t->name = et_memstream_close(&m);
	t->levels = et_calloc(d->n_factors, sizeof(*t->levels));
	memcpy(t->levels, levels, d->n_factors * sizeof(*levels));
	return t;
}

const char *et_design_level(const struct et_design *d, uint32_t command, size_t factor)
{
	const struct et_treatment *t = &d->treatments[et_design_treatment_of(d, command)];

	return d->factors[factor].levels[t->levels[factor]];
}

const char *et_design_function(const struct et_design *d)
{
	static const char prefix[] = "profile:";
	bool is_function = d->response && !strncmp(d->response, prefix, strlen(prefix));

	return is_function ? d->response + strlen(prefix) : NULL;
}

char **et_design_factor_names(const struct et_design *d)
{
	char **names = et_calloc(d->n_factors + 1, sizeof(*names));

	for (size_t i = 0; i < d->n_factors; i++)
		names[i] = d->factors[i].name;
	return names;
}

/* --- texts of plans: {name} in commands, build commands and hooks --- */

/* The length of the name in braces at s; 0: there is none, or it is a shell's, after a $. */
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
		for (size_t i = 0; !value && i < d->n_factors; i++) {
			if (!strcmp(d->factors[i].name, name))
				value = et_strdup(et_design_level(d, command, i));
		}
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
