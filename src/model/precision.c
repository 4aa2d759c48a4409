/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/precision.h"
#include "base/alloc.h"

const char *const et_lab_env_names[ET_ENVS] = { "as-is", "v1", "v2", "v3", "paced" };

const char *const et_version_names[ET_VERSIONS] = { "v1", "v2", "v3", "v4", "v5", "v6", "as is",
	"as is, I+II", "ours", "ours, paced" };

void et_versions_free(struct et_versions *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->tasks[i].name);
	free(v->tasks);
	for (int i = 0; i < ET_VERSIONS; i++) {
		free(v->rules[i]);
		free(v->why_not[i]);
	}
}
