/* SPDX-License-Identifier: MIT */
/* Strict UTF-8, independent of the locale: overlong forms and surrogates are invalid. */
#pragma once

#include "base/base.h"

/* Returns the length of the first character of the string s in bytes, or 0 if it is invalid. */
size_t et_utf8_length(const char *s);
/* Returns the code point of a valid character; length is that of et_utf8_length. */
uint32_t et_utf8_decode(const char *s, size_t length);
/*
 * Whether a character must not reach a terminal or an editor as it is: C1 control characters act
 * like ESC, and characters that change the direction of text or have no width can disguise a name.
 */
bool et_utf8_deceives(uint32_t c);
