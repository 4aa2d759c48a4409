/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the files of a command, from etalon's own record or from the store. */
#include "store/import/importer.h"

static void read_names(struct et_importer *in, const json_t *object, int bit,
	const struct et_import_place *at, struct et_files *out)
{
	char **names = NULL;
	size_t n = 0;

	et_read_texts(in, object, et_file_use_names[bit], ET_FILES_MOST, at, &names, &n);
	for (size_t i = 0; !in->failed && i < n; i++) {
		/* Written by others: it must not reach a terminal as it is. */
		ET_AUTO_FREE char *name = et_file_name(names[i]);
		if (!et_files_add(out, name, 1u << bit))
			et_import_fail(in, at, "has too many names, or too long ones");
	}
	/* After a failure some elements may be missing. */
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

/* A file that is replaced is also in the list of those that are written. */
static void separate(struct et_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->list[i].uses & ET_FILE_REPLACED)
			f->list[i].uses &= ~(uint32_t)ET_FILE_WRITTEN;
	}
}

void et_import_files(struct et_importer *in, const json_t *object, struct et_files *out,
	const struct et_import_place *up)
{
	struct et_import_place at = { up, "files", 0 };
	const char *looked = et_read_text(in, object, "looked", &at);
	const json_t *left = json_object_get(object, "left_out");
	int how = looked ? et_name_index(et_scouted_names, looked) : ET_SCOUTED_CALLS;

	if (how < 0)
		et_import_fail(in, &at, "looked: '%.40s' is not known", looked);
	for (int bit = 0; how > 0 && bit < ET_FILE_USES; bit++)
		read_names(in, object, bit, &at, out);
	separate(out);
	out->left_out = left && !json_is_null(left)
				? (uint64_t)et_read_number(in, object, "left_out", &at, 0, 1e15)
				: 0;
	out->scouted = how < 0 ? ET_SCOUTED_NOT : (enum et_scouted)how;
}

int et_files_parse(struct et_files *out, const char *text)
{
	struct et_import_options options = { .name = "store" };
	struct et_error err;
	struct et_importer in = { .options = &options, .err = &err };
	json_error_t where;
	json_t *files = text ? json_loads(text, JSON_REJECT_DUPLICATES, &where) : NULL;

	if (!text)
		return 0;
	if (json_is_object(files))
		et_import_files(&in, files, out, NULL);
	else
		in.failed = -EINVAL;
	json_decref(files);
	return in.failed;
}
