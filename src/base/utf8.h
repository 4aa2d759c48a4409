/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UTF-8 as it must be, whatever the locale: overlong forms, surrogates and strays are invalid. */
#ifndef ET_BASE_UTF8_H
#define ET_BASE_UTF8_H

#include "base/attr.h"

/* The length of the valid sequence at s (a terminated text), or 0. */
size_t et_utf8_length(const char *s);
/* The character of a valid sequence of that length. */
uint32_t et_utf8_decode(const char *s, size_t length);

#endif
