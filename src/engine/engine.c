/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"
#include "engine/slurm.h"
#include "engine/ssh.h"

static const struct et_engine_ops *const engines[] = { &et_engine_slurm, &et_engine_ssh, NULL };

const struct et_engine_ops *et_engine_find(const char *name)
{
	for (const struct et_engine_ops *const *e = engines; *e; e++)
		if (!strcmp((*e)->name, name))
			return *e;
	return NULL;
}
