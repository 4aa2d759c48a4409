/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

#include <stdbool.h>

static bool continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

size_t et_utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return continues(s[1]) ? 2 : 0;
	if (s[0] >= 0xe0 && s[0] <= 0xef) {
		if (!continues(s[1]) || !continues(s[2]))
			return 0;
		if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))
			return 0;
		return 3;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		if (!continues(s[1]) || !continues(s[2]) || !continues(s[3]))
			return 0;
		if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
			return 0;
		return 4;
	}
	return 0;
}

uint32_t et_utf8_decode(const char *text, size_t length)
{
	static const unsigned char payload[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const unsigned char *s = (const unsigned char *)text;
	uint32_t c = s[0] & payload[length];

	for (size_t i = 1; i < length; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}
