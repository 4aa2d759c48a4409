/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every character survives encoding and decoding; nothing else is valid UTF-8. */
#include "base/utf8.h"
#include "tap.h"

static size_t encode(uint32_t c, char out[5])
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(lead[n] | c);
	out[n] = '\0';
	return n;
}

int main(void)
{
	static const char *const invalid[] = { "\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xc2",
		"\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xf0\x9f\x98", "\xff", "\xe2(\xa1" };
	int bad = 0;
	char buf[5];

	for (uint32_t c = 1; c <= 0x10ffff; c++) {
		size_t n = encode(c, buf);
		if (c >= 0xd800 && c <= 0xdfff)
			bad += et_utf8_length(buf) != 0;
		else
			bad += et_utf8_length(buf) != n || et_utf8_decode(buf, n) != c;
	}
	ok(!bad, "utf8: all code points are decoded, surrogates are invalid");
	for (size_t i = 0; i < ET_LENGTH(invalid); i++)
		ok(et_utf8_length(invalid[i]) == 0, "utf8: invalid sequence %zu is refused", i);
	return tap_done();
}
