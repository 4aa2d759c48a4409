/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of export formats. `export` and the options of `run` that write files read it. */
#pragma once

#include "model/result/result.h"

/*
 * ROW(name, summary for `export --help`, option of `run`, its help, writer). To add a row: the
 * writer in a file of src/record, man/etalon-export.1.scd and man/etalon-run.1.scd.
 */
#define ET_FORMATS(ROW)                                                                            \
	ROW("json", "the native record", "json", "write the native record; - is stdout",           \
		et_native_write)                                                                   \
	ROW("hyperfine", "its JSON", "export-json", "write hyperfine's JSON", et_hyperfine_write)  \
	ROW("csv", "one row per sample", "export-samples", "write all samples as CSV",             \
		et_csv_write)                                                                      \
	ROW("summary", "one row per command, as hyperfine's CSV", "export-csv",                    \
		"write a row per command as CSV, as hyperfine does", et_csv_write_summary)         \
	ROW("markdown", "a table", "export-markdown", "write a Markdown table", et_markdown_write) \
	ROW("asciidoc", "a table", "export-asciidoc", "write an AsciiDoc table",                   \
		et_asciidoc_write)                                                                 \
	ROW("orgmode", "a table", "export-orgmode", "write an Org-mode table", et_orgmode_write)   \
	ROW("html", "a page", "report", "write a page (HTML) with pictures", et_experiment_page)

struct et_format {
	const char *name;
	const char *option;      /* of `run` */
	const char *option_help; /* one sentence */
	void (*write)(const struct et_experiment *, const struct et_judgement *, FILE *);
};

extern const struct et_format et_formats[]; /* the last has no name */

const struct et_format *et_format_find(const char *name); /* or NULL */
