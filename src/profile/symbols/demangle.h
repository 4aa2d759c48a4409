/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of C++ and Rust as their authors wrote them. */
#pragma once

#include <stdbool.h>

/* Whether etalon was built with a demangler. */
bool et_demangle_built(void);
/*
 * Returns the readable name of a symbol, which the caller frees, or NULL if it is not mangled, is
 * damaged, or becomes longer than ET_MOST_SYMBOL_NAME. A suffix such as @plt remains.
 */
char *et_demangle(const char *symbol) __attribute__((warn_unused_result));
