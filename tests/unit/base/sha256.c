/* SPDX-License-Identifier: MIT */
/* The examples of FIPS 180-4 and of NIST's validation system (SHA256ShortMsg, SHA256LongMsg). */
#include "base/sha256.h"
#include "tap.h"

#include <string.h>

static void hashes(const char *text, const char *want, const char *label)
{
	struct et_sha256 s;
	char got[ET_SHA256_TEXT];

	et_sha256_begin(&s);
	et_sha256_add(&s, text, strlen(text));
	et_sha256_end(&s, got);
	is_str(got, want, "sha256: %s", label);
}

/* A million letters "a", in pieces of different sizes. */
static void pieces(size_t size)
{
	struct et_sha256 s;
	char letters[1000], got[ET_SHA256_TEXT];
	size_t left = 1000000;

	memset(letters, 'a', sizeof(letters));
	et_sha256_begin(&s);
	while (left) {
		size_t n = left < size ? left : size;
		et_sha256_add(&s, letters, n);
		left -= n;
	}
	et_sha256_end(&s, got);
	is_str(got, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
		"sha256: a million bytes in pieces of %zu", size);
}

int main(void)
{
	hashes("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "no bytes");
	hashes("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"one block");
	hashes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
		"56 bytes, whose length needs a second block");
	hashes("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklm"
	       "nopqrlmnopqrsmnopqrstnopqrstu",
		"cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1", "112 bytes");
	pieces(1000);
	pieces(63);
	pieces(64);
	pieces(1);
	return tap_done();
}
