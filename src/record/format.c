/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/format.h"
#include "record/native.h"
#include "report/experiment_page.h"

#include <string.h>

#define ROW(name, summary, option, help, write) { name, option, help, write },
const struct et_format et_formats[] = { ET_FORMATS(ROW){ 0 } };

const struct et_format *et_format_find(const char *name)
{
	for (const struct et_format *f = et_formats; f->name; f++) {
		if (!strcmp(f->name, name))
			return f;
	}
	return NULL;
}
