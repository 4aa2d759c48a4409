/* SPDX-License-Identifier: MIT */
/* Text of any origin to be displayed: made harmless for a terminal, measured, and shortened. */
#pragma once

#include "base/base.h"

/*
 * Returns a copy that is valid UTF-8. Control characters, except those in keep, are replaced by
 * their Unicode control pictures (␛, ␊); invalid bytes, and characters that reorder or hide text,
 * by U+FFFD. The caller frees it.
 */
char *et_clean(const char *text, const char *keep) __attribute__((malloc, returns_nonnull));
/* Prints a message that may contain text of any origin, cleaned except for its newlines. */
void et_say(FILE *out, const char *fmt, ...) ET_PRINTF(2, 3);
/* The width of a clean text in columns. */
int et_columns(const char *clean);
/* Returns at most width columns of it, with "…" instead of the middle. The caller frees it. */
char *et_shorten(const char *clean, int width) __attribute__((malloc, returns_nonnull));
/* The width of the first character in columns; sets *n to its length in bytes. */
int et_glyph_columns(const char *text, size_t *n);
/* The number of bytes at the start of a clean text that fit into this many columns. */
size_t et_fitting(const char *clean, int width);
