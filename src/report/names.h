/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortens names of commands to the width of a column, so that they still differ. */
#ifndef ET_REPORT_NAMES_H
#define ET_REPORT_NAMES_H

#include "report/terminal.h"

#include <stddef.h>

/* A longer name would make every line of a table as long. */
enum { ET_NAME_MOST = 1000 };

/*
 * Returns n clean names of at most `width` columns each. If one is too long, the part in which the
 * names differ is kept, and an ellipsis replaces as much of their common beginning and end as is
 * needed. The list ends with NULL; et_strv_free frees it.
 */
char **et_names_fit(const char *const *names, size_t n, int width);
/* The same, but whole names of up to ET_NAME_MOST columns if the page is no terminal. */
char **et_page_names(const struct et_page *page, const char *const *names, size_t n, int width);

#endif
