/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names in braces in the texts of a plan. */
#include "base/base.h"
#include "base/parse.h"
#include "model/design/design.h"
#include "tap.h"

static struct et_design *make(void)
{
	struct et_design *d = et_design_new();
	struct et_design_factor *f = et_design_add_factor(d, "opt");

	f->levels = et_strv_of("-O2", "-O3 -g", NULL);
	f->n_levels = 2;
	f = et_design_add_factor(d, "n_1-x");
	f->levels = et_strv_of("7", NULL);
	f->n_levels = 1;
	et_design_add_program(d, "p");
	et_design_add_treatment(d, (uint32_t[]){ 0, 0 });
	et_design_add_treatment(d, (uint32_t[]){ 1, 0 });
	return d;
}

static char *find_folder(void *ctx, const char *name)
{
	return strcmp(name, "build") ? NULL : et_strdup(ctx);
}

static void check(const struct et_design *d, uint32_t command, const char *text, const char *want)
{
	struct et_design_value folder = { find_folder, (char *)"/b" };
	ET_AUTO_FREE char *got = NULL;
	struct et_error err = { 0 };
	int rc = et_design_fill(d, command, text, &folder, &got, &err);

	is_str(rc ? err.what : got, want, "fill: '%s' in treatment %u is '%s'", text, command,
		want);
}

int main(void)
{
	struct et_design *d = make();

	check(d, 0, "make OPT={opt} N={n_1-x} D={build}/x", "make OPT=-O2 N=7 D=/b/x");
	check(d, 1, "{opt}{opt}", "-O3 -g-O3 -g");
	check(d, 0, "${opt} { opt } {} {1} {a b} {", "${opt} { opt } {} {1} {a b} {");
	check(d, 0, "awk '{print $1}'", "awk '{print $1}'");
	check(d, 0, "{optt}", "nothing is named {optt} in '{optt}'");
	check(d, 0, "{{opt}}", "{-O2}");
	ok(et_design_names("a {opt}", "opt") && !et_design_names("a ${opt}", "opt") &&
			!et_design_names("a {opt", "opt") && !et_design_names("{op}", "opt"),
		"names: a text names a factor in braces, but not after a $");
	et_design_free(d);
	return tap_done();
}
