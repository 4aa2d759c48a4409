/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts and URLs on their way to PostgreSQL. Nothing here needs libpq. Private to src/store, and
 * used by its tests and fuzzers.
 */
#pragma once

#include "store/core/sql.h"

/* The words of PostgreSQL. */
extern const struct et_dialect et_pg_dialect;
/* How the URLs of its servers begin; NULL ends the list. */
extern const char *const et_pg_schemes[];

/*
 * PostgreSQL takes only UTF-8 as text, but names of processes and commands may be any bytes. A byte
 * of 0x80 or above that is part of no valid character becomes a character of U+10FE80…U+10FEFF, a
 * private-use area; a valid character of this range is treated as invalid bytes. All other text is
 * stored as it is.
 *
 * Returns the encoded text, which the caller frees, or NULL if the text needs no change.
 */
char *et_pg_encode(const char *text) ET_CHECK;
/* The inverse: NULL if the text needs no change. *size is that of the result. */
char *et_pg_decode(const char *text, size_t *size) ET_CHECK;

/*
 * Returns the URL without its passwords: that after the user's name, and those in the parameters.
 * Any text is fine, also one that libpq refuses. The caller frees the result, which is never longer
 * than the URL.
 */
char *et_pg_url_without_secrets(const char *url) ET_CHECK __attribute__((returns_nonnull));
/*
 * Whether a name or password has an @ or a slash that is not escaped, or a parameter an @: libpq
 * would take a part of it as the name of the user or host, and print it.
 */
bool et_pg_url_is_ambiguous(const char *url);
