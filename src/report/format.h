/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of export formats, from which `export` and the --export options are driven. */
#ifndef ET_REPORT_FORMAT_H
#define ET_REPORT_FORMAT_H

#include "model/result.h"

struct et_format {
	const char *name;
	void (*write)(const struct et_experiment *, const struct et_judgement *, FILE *);
};

extern const struct et_format et_formats[]; /* ends with name NULL */

/* Their names, as an option's choices. */
#define ET_FORMAT_CHOICES "json|hyperfine|csv|markdown|asciidoc|orgmode|html"

const struct et_format *et_format_find(const char *name); /* or NULL */

#endif
