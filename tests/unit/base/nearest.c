/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The name that a misspelled one is nearest to. */
#include "base/nearest.h"
#include "tap.h"

static const char *nearest(const char *typed)
{
	struct et_nearest n = et_nearest_to(typed);

	et_nearest_offer(&n, "run");
	et_nearest_offer(&n, "fragment");
	et_nearest_offer(&n, "fragmentation");
	et_nearest_offer(&n, "interval-accuracy");
	return n.best;
}

int main(void)
{
	is_str(nearest("frgment"), "fragment", "nearest: a missing letter");
	is_str(nearest("fragmenattion"), "fragmentation", "nearest: two letters swapped");
	is_str(nearest("intervall-acuracy"), "interval-accuracy", "nearest: two differences");
	is_str(nearest("rum"), "run", "nearest: one letter of a short name");
	is_str(nearest("rxm"), NULL, "nearest: two letters of a short name are too many");
	is_str(nearest("ru"), NULL, "nearest: two letters are too few to guess");
	is_str(nearest("an-option-that-is-much-longer-than-any-name"), NULL,
		"nearest: a long text has no near name");
	return tap_done();
}
