/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The labels of a store: studies find their experiments by them. */
#ifndef ET_CMD_LABELS_H
#define ET_CMD_LABELS_H

#include "store/store.h"

/* Experiments with a label, newest first. To begin, set all to 0. */
struct et_labels {
	struct {
		char id[40];
		char *label;
	} * list;
	size_t n, cap;
};

/* 0 or -errno with err filled. The caller frees the labels in either case. */
int et_labels_read(struct et_labels *l, struct et_store *store, struct et_error *err) ET_CHECK;
void et_labels_free(struct et_labels *l);

#endif
