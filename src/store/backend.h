/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a back end of the store provides; store.c picks one by the URL and hands every call on.
 * Private to src/store.
 */
#ifndef ET_STORE_BACKEND_H
#define ET_STORE_BACKEND_H

#include "store/store.h"

struct et_store_ops {
	void (*close)(struct et_store *s);
	int (*begin)(struct et_store *s, const struct et_experiment *e, struct et_error *err);
	int (*keep)(struct et_store *s, const struct et_experiment *e, struct et_error *err);
	int (*add)(struct et_store *s, const char *id, const struct et_sample *sample,
		struct et_error *err);
	int (*flush)(struct et_store *s, struct et_error *err);
	int (*set_state)(struct et_store *s, const char *id, enum et_state state, uint64_t wall_ns,
		struct et_error *err);
	int (*set_removal)(struct et_store *s, const char *id, const struct et_sample *sample,
		struct et_error *err);
	int (*claim)(struct et_store *s, const char *id, struct et_error *err);
	void (*release)(struct et_store *s);
	int (*find)(struct et_store *s, const char *name, char id[40], struct et_error *err);
	int (*find_unfinished)(struct et_store *s, char id[40], struct et_error *err);
	int (*load)(struct et_store *s, const char *id, struct et_experiment **out,
		struct et_error *err);
	int (*remove)(struct et_store *s, const char *id, struct et_error *err);
	int (*list)(struct et_store *s, size_t limit, et_store_entry_fn fn, void *ctx,
		struct et_error *err);
	int (*get_fact)(struct et_store *s, const char *key, char **value, struct et_error *err);
	int (*set_fact)(
		struct et_store *s, const char *key, const char *value, struct et_error *err);
};

/* A back end's own struct begins with this. */
struct et_store {
	const struct et_store_ops *ops;
	char *url; /* set and freed by store.c */
};

int et_sqlite_open(const char *path, enum et_store_mode mode, struct et_store **out,
	struct et_error *err) ET_CHECK;

#endif
