/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target: URLs of stores with passwords, and texts for PostgreSQL. */
#include "base/base.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "store/core/store.h"
#include "store/postgresql/text.h"

#include <string.h>

/* The URL that is shown has no password: nothing changes if they are removed again. */
static int show(const char *text)
{
	ET_AUTO_FREE char *url = et_asprintf("postgresql://%s", text);
	ET_AUTO_FREE char *shown = et_store_url_without_secrets(url);
	ET_AUTO_FREE char *again = et_store_url_without_secrets(shown);
	const char *query = strchr(shown, '?');

	FUZZ_CHECK(strlen(shown) <= strlen(url));
	FUZZ_CHECK(!strcmp(shown, again));
	FUZZ_CHECK(!query || !strcasestr(query, "&password="));
	FUZZ_CHECK(!query || strncasecmp(query, "?password=", 10) != 0);
	(void)et_pg_url_is_ambiguous(url);
	return strcmp(shown, url) != 0;
}

static int store_text(const char *text)
{
	ET_AUTO_FREE char *encoded = et_pg_encode(text);
	const char *sent = encoded ? encoded : text;
	size_t size = strlen(sent), n;
	ET_AUTO_FREE char *decoded = et_pg_decode(sent, &size);

	for (const char *p = sent; *p; p += n) {
		n = et_utf8_length(p);
		FUZZ_CHECK(n > 0);
	}
	FUZZ_CHECK(!strcmp(decoded ? decoded : sent, text) && size == strlen(text));
	return encoded != NULL;
}

static int fuzz_url(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	int accepted = show(text);

	accepted |= store_text(text);
	free(text);
	return accepted;
}

FUZZ_TARGET(url) = { "url", fuzz_url, 20000,
	.tokens = TOKENS("@", ":", "/", "?", "&", "=", "[", "]", ",", "%61",
		"password=", "sslpassword=", "5432", "postgresql://", "\xf4\x8f\xba"),
	.input = "URLs of stores with passwords, texts for PostgreSQL",
	.holds = "no password is left; every text comes back" };
