/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of kinds of experiments: the first that fits an experiment is its kind. */
#include "source/kind.h"

extern const struct et_stored_kind et_kind_designed, et_kind_profile, et_kind_lab;

/* To add a row: its struct, in the folder of the command that measures it or of `show`. */
const struct et_stored_kind *const et_kinds[] = {
	&et_kind_designed,
	&et_kind_profile,
	&et_kind_lab,
	&et_stored_plain,
	NULL,
};
