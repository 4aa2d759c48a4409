/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records from elsewhere made into an experiment: etalon's own JSON, hyperfine's JSON, CSV. Pure
 * functions over bytes, which may be anything at all: what is not right is an error (exit 2) that
 * names the place.
 */
#ifndef ET_STORE_IMPORT_H
#define ET_STORE_IMPORT_H

#include "base/error.h"
#include "model/experiment.h"

enum et_import_format {
	ET_IMPORT_AUTO, /* by the first character and, in JSON, by the keys */
	ET_IMPORT_NATIVE,
	ET_IMPORT_HYPERFINE,
	ET_IMPORT_CSV,
};

extern const char *const et_import_format_names[];

/* More than this is refused: jansson holds all of a JSON text in memory, some ten times its size.
 */
#define ET_IMPORT_MOST_BYTES ((size_t)1 << 30)

struct et_import_options {
	const char *name; /* of the file, for errors */
	enum et_import_format format;
	const char *column; /* CSV: the column that holds the times; NULL: as the header says */
	const char *label;  /* or NULL: what the record says */
	bool copy;          /* a new id even where the record has one */
	uint64_t wall_ns;   /* now: the start of an experiment whose record has none */
	uint64_t random;    /* for new ids */
};

/*
 * A native record keeps its id unless copy is set; one that was still running comes as
 * interrupted. hyperfine and most CSV files know no CPU time: it is ET_UNKNOWN then, and the
 * experiment's metric is ET_METRIC_ELAPSED.
 */
int et_import(const char *data, size_t size, const struct et_import_options *o,
	struct et_experiment **out, struct et_error *err) ET_CHECK;

#endif
