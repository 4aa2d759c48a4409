/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/input.h"
#include "base/clock.h"
#include "store/import/import.h"

int et_input_read_stream(
	FILE *f, const char *name, size_t most, char **data, size_t *size, struct et_error *err)
{
	size_t room = 1 << 16, n = 0;
	char *bytes = et_alloc(room);

	while (n <= most) {
		size_t got = fread(bytes + n, 1, room - n, f);
		if (!got)
			break;
		n += got;
		if (n == room)
			bytes = et_realloc(bytes, room *= 2, 1);
	}
	if (ferror(f)) {
		int rc = et_fail_file(err, errno, ET_EXIT_USAGE, name);
		free(bytes);
		return rc;
	}
	*data = bytes;
	*size = n;
	return 0;
}

int et_input_read(const char *path, size_t most, char **data, size_t *size, struct et_error *err)
{
	if (!strcmp(path, "-"))
		return et_input_read_stream(stdin, "standard input", most, data, size, err);
	ET_AUTO_FCLOSE FILE *f = fopen(path, "re");
	if (!f)
		return et_fail_file(err, errno, ET_EXIT_USAGE, path);
	return et_input_read_stream(f, path, most, data, size, err);
}

int et_input_record(const char *data, size_t size, const char *name, struct et_experiment **out,
	struct et_error *err)
{
	struct et_import_options native = { .name = name,
		.format = ET_IMPORT_NATIVE,
		.wall_ns = et_clock_read_ns(CLOCK_REALTIME) };

	return et_import(data, size, &native, out, err);
}
