/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/operand.h"
#include "source/input.h"
#include "store/import/importer.h"

#include <sys/stat.h>

bool et_operand_is_file(const char *operand)
{
	struct stat st;

	if (!strcmp(operand, "-"))
		return true;
	if (stat(operand, &st) == 0)
		return !S_ISDIR(st.st_mode);
	if (*operand == '/' || !strncmp(operand, "./", 2) || !strncmp(operand, "../", 3))
		return true;
	return errno != ENOENT;
}

static int read_file(
	const char *path, const struct et_operand_use *use, void *ctx, struct et_error *err)
{
	if (!strcmp(path, "-"))
		return use->read(ctx, stdin, "standard input", err);
	ET_AUTO_FCLOSE FILE *in = fopen(path, "re");
	if (!in)
		return et_fail_file(err, errno, ET_EXIT_USAGE, path);
	return use->read(ctx, in, path, err);
}

static int take_one(const struct et_cli *cli, const char *name, const struct et_operand_use *use,
	void *ctx, struct et_error *err)
{
	struct et_experiment *e;
	int rc = et_stored_fetch(cli, name, &e, err);

	if (rc == -ENOENT)
		return et_fail_hint(err, ENOENT, ET_EXIT_USAGE,
			"run 'etalon list' to see the stored experiments",
			"'%s' is neither a file nor a stored experiment", name);
	return rc ? rc : use->take(ctx, e, err);
}

int et_operand_open(const struct et_cli *cli, const char *operand, const struct et_operand_use *use,
	void *ctx, struct et_error *err)
{
	struct et_store *store = NULL;
	char id[40];

	if (et_operand_is_file(operand))
		return read_file(operand, use, ctx, err);
	int rc = use->find ? et_stored_search(cli, operand, use->find, ctx, &store, id, err)
			   : take_one(cli, operand, use, ctx, err);
	et_store_close(store);
	if (rc == -ENOENT && access(operand, F_OK) == 0)
		return et_fail_file(err, EISDIR, ET_EXIT_USAGE, operand);
	return rc;
}

int et_operand_load(
	const struct et_cli *cli, const char *operand, struct et_stored *out, struct et_error *err)
{
	bool file = et_operand_is_file(operand);
	ET_AUTO_FREE char *data = NULL;
	size_t size = 0;
	int rc = file ? et_input_read(operand, ET_IMPORT_MOST_BYTES, &data, &size, err) : 0;

	/* A program or a table may have the name of a label. */
	if (!file || ((rc || !size || !strchr("{ \n\t\r", *data)) && strcmp(operand, "-") &&
			     !strchr(operand, '/')))
		return et_stored_load(cli, operand, out, err);
	return rc ? rc : et_input_record(data, size, operand, &out->experiment, err);
}
