/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

/* The Unicode Standard, table 3-7: ranges of the first byte, lengths, ranges of the second byte. */
static const struct {
	unsigned char first, last;
	unsigned char length, second_lo, second_hi;
} forms[] = {
	{ 0xc2, 0xdf, 2, 0x80, 0xbf },
	{ 0xe0, 0xe0, 3, 0xa0, 0xbf },
	{ 0xe1, 0xec, 3, 0x80, 0xbf },
	{ 0xed, 0xed, 3, 0x80, 0x9f },
	{ 0xee, 0xef, 3, 0x80, 0xbf },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf },
	{ 0xf1, 0xf3, 4, 0x80, 0xbf },
	{ 0xf4, 0xf4, 4, 0x80, 0x8f },
};

size_t et_utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i = 0, n = 2;

	if (s[0] < 0x80)
		return 1;
	while (i < ET_LENGTH(forms) && (s[0] < forms[i].first || s[0] > forms[i].last))
		i++;
	if (i == ET_LENGTH(forms) || s[1] < forms[i].second_lo || s[1] > forms[i].second_hi)
		return 0;
	while (n < forms[i].length && (s[n] & 0xc0) == 0x80)
		n++;
	return n == forms[i].length ? n : 0;
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

bool et_utf8_deceives(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = { { 0x80, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c }, { 0x180e, 0x180e },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff },
		{ 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff } };

	for (size_t i = 0; i < ET_LENGTH(ranges); i++) {
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	}
	return false;
}
