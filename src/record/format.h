/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of export formats. `export` and the options of `run` that write files read it. */
#pragma once

#include "model/result/result.h"

/*
 * ROW(name, summary for `export --help`, option of `run`, its help, writer). To add a row: the
 * writer in a file of src/record, man/etalon-export.1.scd and man/etalon-run.1.scd, and the golden
 * file of tests/unit/record/export.c.
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

typedef void et_format_write(const struct et_experiment *, const struct et_judgement *, FILE *);

/*
 * The native record: an experiment and its results as JSON, from which `import` restores the
 * experiment. Scripts depend on the keys: add keys, but never rename one.
 */
et_format_write et_native_write;
/*
 * Writes the experiment without samples and results: as much as a machine needs that is to run it.
 * `import` reads it as it reads a record.
 */
void et_native_write_plan(const struct et_experiment *e, FILE *out);

/*
 * CSV: a row per sample with a column for each of its fields (model/experiment/field.h), or a row
 * per command as hyperfine's, with a column parameter_NAME for each parameter. The cell of an
 * unknown value is empty; draw/xml.h says how texts are written.
 */
et_format_write et_csv_write, et_csv_write_summary;
/*
 * The schema of hyperfine's --export-json, so that its scripts and plots accept our results:
 * elapsed seconds of the kept solo runs. A value that hyperfine always has and we do not is null.
 */
et_format_write et_hyperfine_write;
/*
 * The result as a table for a document, with one row per command: the time with its expanded
 * uncertainty (K-best has none), the range, and the ratio to the reference with the half width of
 * its interval. All rows use the same unit. In Markdown a list of the verdicts follows.
 */
et_format_write et_markdown_write, et_asciidoc_write, et_orgmode_write;

struct et_format {
	const char *name;
	const char *option;      /* of `run` */
	const char *option_help; /* one sentence */
	et_format_write *write;
};

extern const struct et_format et_formats[]; /* the last has no name */

const struct et_format *et_format_find(const char *name); /* or NULL */
