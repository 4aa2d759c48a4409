/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readable names of C++ and Rust; the expected ones are from c++filt -i, or from the mangling. */
#include "base/base.h"
#include "profile/symbols/symbols.h"
#include "tap.h"

static void known(void)
{
	static const struct {
		const char *symbol, *readable, *label;
	} list[] = {
		{ "_Z3fooi", "foo(int)", "a function" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
			"std::vector<int, std::allocator<int> >::push_back(int const&)",
			"a template" },
		{ "_ZN3FooC1Ev", "Foo::Foo()", "a constructor" },
		{ "_ZN3FooC2Ev", "Foo::Foo()", "a constructor of a base" },
		{ "_Z3fooi.cold", "foo(int) [clone .cold]", "a part of a function" },
		{ "_Z3fooi@plt", "foo(int)@plt", "a stub" },
		{ "_ZN4core3fmt9Formatter3pad17h0a1b2c3d4e5f6789E", "core::fmt::Formatter::pad",
			"Rust without its hash" },
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar", "Rust v0" },
	};

	for (size_t i = 0; i < ET_LENGTH(list); i++) {
		ET_AUTO_FREE char *readable = et_demangle(list[i].symbol);
		is_str(readable ? readable : "", list[i].readable, "known: %s", list[i].label);
	}
}

static void none(const char *symbol, const char *label)
{
	ET_AUTO_FREE char *readable = et_demangle(symbol);

	ok(!readable, "%s stays as it is", label);
}

/*
 * f(P<a, a>, P<P<a, a>, P<a, a> >, …): S_ is P, S0_ is a, S1_ is P<a, a>; each of 34 parameters has
 * the one before twice, so the last has 2^34 times "a".
 */
static char *make_bomb(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *text = et_strdup("_Z1f1PI1aS0_E");

	for (int i = 1; i < 35; i++)
		et_append(&text, "", "S_IS%c_S%c_E", digits[i], digits[i]);
	return text;
}

static void refused(void)
{
	ET_AUTO_FREE char *bomb = make_bomb();
	ET_AUTO_FREE char *deep = et_strdup("_Z1f");
	char wide[ET_MOST_SYMBOL_NAME + 1];

	none("", "an empty name");
	none("_", "an underscore");
	none("main", "a name of C");
	none("_Z", "nothing after the sign");
	none("_Z3fo", "a name that is cut off");
	none("_ZN3fooE9999999999999999999", "a number that is too large");
	none("_RNvNtCs1234_7mycrate", "Rust v0 that is cut off");
	none("_RNvC1aTB_B_B_B_B_B_B_B_B_B_B_B_B_E", "Rust v0 with many references");
	none(bomb, "a name that becomes too long");
	for (int i = 0; i < 900; i++)
		et_append(&deep, "", "P");
	et_append(&deep, "", "i");
	char *pointers = et_demangle(deep);
	ok(pointers && strlen(pointers) == 900 + strlen("f(int)"), "refused: 900 levels are fine");
	free(pointers);
	memset(wide, 'P', sizeof(wide) - 1);
	memcpy(wide, "_Z1f", 4);
	wide[sizeof(wide) - 1] = '\0';
	none(wide, "a symbol that is too long");
}

int main(void)
{
	if (et_demangle_built()) {
		known();
		refused();
	} else {
		none("_Z3fooi", "without a demangler, a mangled name");
	}
	return tap_done();
}
