/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/machine_id.h"
#include "tap.h"

static const char *label(const char *id, const char *host)
{
	static char out[ET_MACHINE_SIZE];

	et_machine_label(id, host, out, sizeof(out));
	return out;
}

static void test_names(void)
{
	char most[ET_MACHINE_MOST_NAME + 2];

	memset(most, 'a', sizeof(most));
	most[ET_MACHINE_MOST_NAME] = '\0';
	ok(et_machine_name_valid("n7") && et_machine_name_valid("rack-2.example_b") &&
			et_machine_name_valid(most),
		"name: letters, digits and the three signs, up to 64");
	most[ET_MACHINE_MOST_NAME] = 'a';
	most[ET_MACHINE_MOST_NAME + 1] = '\0';
	ok(!et_machine_name_valid(most), "name: 65 characters are refused");
	ok(et_machine_id_valid("n7") && et_machine_id_valid("0123456789abcdef") &&
			et_machine_id_valid("(none) 0123456789abcdef"),
		"identity: all three forms are valid");
	ok(!et_machine_id_valid("") && !et_machine_id_valid("a b") &&
			!et_machine_id_valid("a\n 0123456789abcdef") &&
			!et_machine_id_valid(most) && !et_machine_id_valid("a 0123456789abcdeg"),
		"identity: other texts are refused");
	ok(!et_machine_name_valid("") && !et_machine_name_valid("a b") &&
			!et_machine_name_valid("a/b") && !et_machine_name_valid("-a") &&
			!et_machine_name_valid(".a") && !et_machine_name_valid("\xc3\xa9") &&
			!et_machine_name_valid("a\n"),
		"name: spaces, slashes, a first sign and other bytes are refused");
}

static void test_same(void)
{
	ok(et_machine_same("n7", "n7") && !et_machine_same("n7", "n8"), "same: chosen names");
	ok(et_machine_same("0123456789abcdef", "box 0123456789abcdef") &&
			et_machine_same("box 0123456789abcdef", "0123456789abcdef"),
		"same: the digest of a host, with and without its name");
	ok(!et_machine_same("a 0123456789abcdef", "b 0123456789abcdef"),
		"same: two containers with one machine-id are two machines");
	ok(!et_machine_same("0123456789abcdef", "0123456789abcdee") &&
			!et_machine_same("89abcdef", "box 0123456789abcdef") &&
			!et_machine_same("box", "box 0123456789abcdef"),
		"same: another digest, a part of one and a host's name are other machines");
	ok(!et_machine_same("", "") && !et_machine_same("", "n7"),
		"same: an unknown machine is the same as no other");
}

static void test_label(void)
{
	is_str(label("n7", "box"), "n7", "label: a chosen name");
	is_str(label("0123456789abcdef", "box"), "box", "label: the host's name for a digest");
	is_str(label("0123456789abcdef", ""), "0123456789abcdef", "label: the digest alone");
	is_str(label("c1 0123456789abcdef", "box"), "c1", "label: the name in the old form");
	is_str(label("", "box"), "box", "label: the host's name for a record without a machine");
}

int main(void)
{
	test_names();
	test_same();
	test_label();
	return tap_done();
}
