/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/format.h"
#include "report/csv.h"
#include "report/experiment_page.h"
#include "report/hyperfine.h"
#include "report/native.h"
#include "report/table.h"

#include <string.h>

const struct et_format et_formats[] = {
	{ "json", et_native_write },
	{ "hyperfine", et_hyperfine_write },
	{ "csv", et_csv_write },
	{ "markdown", et_markdown_write },
	{ "asciidoc", et_asciidoc_write },
	{ "orgmode", et_orgmode_write },
	{ "html", et_experiment_page },
	{ NULL, NULL },
};

const struct et_format *et_format_find(const char *name)
{
	for (const struct et_format *f = et_formats; f->name; f++) {
		if (!strcmp(f->name, name))
			return f;
	}
	return NULL;
}
