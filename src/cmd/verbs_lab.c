/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of etalon-lab, which `etalon lab` executes: few users need what it is linked with. */
#include "cli/cli.h"
#include "source/kind.h"

extern const struct et_verb et_verb_completion, et_verb_lab;

const struct et_verb *const et_verbs[] = {
	&et_verb_lab,
	&et_verb_completion, /* etalon asks for the part of lab */
	NULL,
};

/* lab reads its own experiments by --from, and prints no others. */
const struct et_stored_kind *const et_kinds[] = { &et_stored_plain, NULL };
