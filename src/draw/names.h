/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How commands are called: by number, or by names that fit into a column and still differ. */
#pragma once

#include "base/figure.h"
#include "draw/terminal.h"

#include <stddef.h>

/* A longer name would make every line of a table as long. */
enum { ET_NAME_MOST = 1000 };

/*
 * "[2]" of the command, or series, with index 1: as a bare number, "ratio to 1" could be read as a
 * figure. Every text that names one by its number has it from here. Returns buf.
 */
const char *et_name_by_number(size_t index, char buf[ET_FIGURE]);
/*
 * Returns n clean names of at most `width` columns each. If one is too long, the part in which the
 * names differ is kept, and an ellipsis replaces as much of their common beginning and end as is
 * needed. The list ends with NULL; et_strv_free frees it.
 */
char **et_names_fit(const char *const *names, size_t n, int width);
/* The same, but whole names of up to ET_NAME_MOST columns if the page is no terminal. */
char **et_page_names(const struct et_page *page, const char *const *names, size_t n, int width);
