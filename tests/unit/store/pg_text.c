/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts that are not UTF-8, and URLs with passwords, on their way to PostgreSQL. No server. */
#include "base/base.h"
#include "base/utf8.h"
#include "store/core/store.h"
#include "store/postgresql/text.h"
#include "tap.h"

static bool is_utf8(const char *text)
{
	for (size_t n; *text; text += n) {
		n = et_utf8_length(text);
		if (!n)
			return false;
	}
	return true;
}

/* Whether the text is encoded to valid UTF-8 and comes back. */
static bool comes_back(const char *text)
{
	ET_AUTO_FREE char *encoded = et_pg_encode(text);
	const char *sent = encoded ? encoded : text;
	size_t size = strlen(sent);
	ET_AUTO_FREE char *decoded = et_pg_decode(sent, &size);

	return is_utf8(sent) && !strcmp(decoded ? decoded : sent, text) && size == strlen(text);
}

static void encoding(void)
{
	static const char *const plain[] = { "", "sort", "\\x80 \\ %41 \"'{}", "größe ✓ 😀",
		"\x01\x1b[31m\x7f", "\xf4\x8f\xbf\xbd" };
	static const char *const odd[] = { "\x80", "a\xff", "\xc3", "\xc3(", "\xe2\x82",
		"\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x9f\x98", "\xf4\x8f\xba\x80",
		"x\xf4\x8f\xbb\xbfy", "\xf4\x8f\xba", "\xf4\x8f", "\xf4\x8f\xba\x80\x80",
		"\xc0\x80", "a\x80z\xfe" };
	int bad = 0;

	for (size_t i = 0; i < ET_LENGTH(plain); i++) {
		ET_AUTO_FREE char *encoded = et_pg_encode(plain[i]);
		ok(!encoded && comes_back(plain[i]), "encode: text %zu is stored as it is", i);
	}
	for (size_t i = 0; i < ET_LENGTH(odd); i++) {
		ET_AUTO_FREE char *encoded = et_pg_encode(odd[i]);
		ok(encoded && comes_back(odd[i]), "encode: odd bytes %zu come back", i);
	}
	for (int a = 1; a < 256; a++) {
		for (int b = 1; b < 256; b++)
			bad += !comes_back((char[]){ (char)a, (char)b, '(', '\0' });
	}
	ok(!bad, "encode: every pair of bytes comes back");
	/* A linear congruential generator (Knuth) makes texts of the bytes that matter. */
	static const char bytes[] = "\xf4\x8f\xba\xbb\x80\xbf\xc2\xe2\xed\xa0\x7f"
				    "a";
	uint64_t x = 1;
	for (int i = 0; i < 200000; i++) {
		char text[12] = "";
		for (size_t j = 0; j + 1 < sizeof(text); j++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			text[j] = bytes[(x >> 33) % (sizeof(bytes) - 1)];
		}
		bad += !comes_back(text);
	}
	ok(!bad, "encode: 200,000 texts of critical bytes come back");
}

static void urls(void)
{
	static const char *const list[][2] = {
		{ "postgresql://u:secret@host/db", "postgresql://u@host/db" },
		{ "postgres://u:secret@host:5433/db?sslmode=require",
			"postgres://u@host:5433/db?sslmode=require" },
		{ "postgresql://host/db", "postgresql://host/db" },
		{ "postgresql://u@host/db", "postgresql://u@host/db" },
		{ "postgresql://:secret@host/db", "postgresql://@host/db" },
		{ "postgresql:///db?host=/run/x&user=u", "postgresql:///db?host=/run/x&user=u" },
		{ "postgresql:///db?password=secret", "postgresql:///db" },
		{ "postgresql:///db?user=u&password=secret&host=h",
			"postgresql:///db?user=u&host=h" },
		{ "postgresql:///db?p%61ssword=secret&a=1", "postgresql:///db?a=1" },
		{ "postgresql:///db?sslpassword=secret&sslkey=k", "postgresql:///db?sslkey=k" },
		{ "postgresql:///db?a=1&password=s?ecret", "postgresql:///db?a=1" },
		{ "postgresql://u:se:cret@h/db", "postgresql://u@h/db" },
		{ "postgresql://u:s%40@h1:1,h2:2/db", "postgresql://u@h1:1,h2:2/db" },
		{ "postgresql://h1:1,h2:2/db@x", "postgresql://h1:1,h2:2/db@x" },
		{ "postgresql://host:5432/db@x", "postgresql://host:5432/db@x" },
		{ "postgresql://[::1]:5432/db@x", "postgresql://[::1]:5432/db@x" },
		{ "postgresql://u:sec@ret@host/db", "postgresql://u@host/db" },
		{ "postgresql://u:sec/ret@host/db", "postgresql://u@host/db" },
		{ "postgresql://u:sec?ret@host/db", "postgresql://u@host/db" },
		{ "postgresql://host?password=sec@ret", "postgresql://host@ret" },
		{ "postgresql://u:1234/x@host/db", "postgresql://u:1234/x@host/db" },
		{ "postgresql://", "postgresql://" },
		{ "postgresql://?password=secret", "postgresql://" },
		{ "postgresql://u:secret@", "postgresql://u@" },
	};

	for (size_t i = 0; i < ET_LENGTH(list); i++) {
		ET_AUTO_FREE char *shown = et_store_url_without_secrets(list[i][0]);
		is_str(shown, list[i][1], "url: %s is shown without a password", list[i][1]);
	}
	ET_AUTO_FREE char *file = et_store_url_without_secrets("sqlite:/a:b@c?password=x");
	is_str(file, "sqlite:/a:b@c?password=x", "url: the name of a file is shown as it is");
	ok(et_pg_url_is_ambiguous("postgresql://u:a@b@h/db") &&
			et_pg_url_is_ambiguous("postgresql://u:a/b@h/db") &&
			et_pg_url_is_ambiguous("postgresql://h?password=a@b") &&
			!et_pg_url_is_ambiguous("postgresql://u:a%40b@h/db") &&
			!et_pg_url_is_ambiguous("postgresql://h:5432/db@x") &&
			!et_pg_url_is_ambiguous("postgresql://h/db"),
		"url: an @ or a slash in a password that is not escaped is found");
	ok(et_store_url_is_server("postgres://") && et_store_url_is_server("postgresql://x") &&
			!et_store_url_is_server("postgresql:") &&
			!et_store_url_is_server("sqlite:postgresql://"),
		"url: that of a server is known by its scheme");
}

int main(void)
{
	encoding();
	urls();
	return tap_done();
}
