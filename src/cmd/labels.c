/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/labels.h"
#include "base/alloc.h"

#include <string.h>

static int note(void *ctx, const struct et_summary *s)
{
	struct et_labels *l = ctx;

	if (!s->label)
		return 0;
	ET_GROW(l->list, l->n, l->cap);
	memcpy(l->list[l->n].id, s->id, sizeof(s->id));
	l->list[l->n++].label = et_strdup(s->label);
	return 0;
}

int et_labels_read(struct et_labels *l, struct et_store *store, struct et_error *err)
{
	return et_store_list(store, 0, note, l, err);
}

void et_labels_free(struct et_labels *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].label);
	free(l->list);
	memset(l, 0, sizeof(*l));
}
