/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of commands and of export formats. */
#include "cli/outputs.h"
#include "record/format.h"
#include "tap.h"
#include "walk.h"

static void test_formats(void)
{
	const struct et_option *o = et_outputs_options();
	bool complete = true, named = true;

	for (const struct et_format *f = et_formats; f->name; f++) {
		complete = complete && o->name && same(o->name, f->option) && f->write;
		named = named && et_format_find(f->name) == f;
		o += o->name != NULL;
	}
	ok(complete && !o->name, "formats: each has a writer and an option of run");
	ok(named && !et_format_find("nosuch"), "formats: each is found by its name");
}

int main(void)
{
	test_commands();
	test_formats();
	return tap_done();
}
