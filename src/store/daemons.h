/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of daemons as JSON, in the form of the EMP papers' data: short_run and an optional
 * long_run, each with samples, sample_seconds and either central + l_samples or all. And cutoffs as
 * JSON, the way a store keeps them. The text may be anything at all: what is not right is an
 * error (exit 2) that names the place.
 */
#ifndef ET_STORE_DAEMONS_H
#define ET_STORE_DAEMONS_H

#include "base/error.h"
#include "model/daemon.h"

/* More than this is no machine's daemons. */
enum { ET_DAEMONS_MOST_NAMES = 10000, ET_DAEMONS_MOST_SAMPLES = 1000000 };
/* jansson holds all of a text in memory, some ten times its size. */
#define ET_DAEMONS_MOST_BYTES ((size_t)256 << 20)

/* name names the file in errors. On success the caller frees what *out owns. */
int et_daemon_record_read(const char *data, size_t size, const char *name,
	struct et_daemon_record *out, struct et_error *err) ET_CHECK;

#endif
