/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/outputs.h"
#include "base/alloc.h"
#include "cmd/cli.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static int set_output(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return et_outputs_add(ctx, o->context, args[0], err);
}

const struct et_option *et_outputs_options(void)
{
	static struct et_option rows[ET_MOST_OUTPUTS + 1];
	size_t n = 0;

	if (rows[0].name)
		return rows;
	for (const struct et_format *f = et_formats; f->name; f++) {
		assert(n < ET_MOST_OUTPUTS);
		rows[n++] = (struct et_option){ .name = f->option,
			.arg = "FILE",
			.help = f->option_help,
			.set = set_output,
			.values = "FILE",
			.context = f };
	}
	return rows;
}

int et_outputs_add(struct et_outputs *o, const struct et_format *format, const char *path,
	struct et_error *err)
{
	bool standard = !strcmp(path, "-");

	if (o->n == ET_MOST_OUTPUTS)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "more than %d output files", ET_MOST_OUTPUTS);
	if (standard && o->stdout_taken)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "only one output can go to stdout (-)");
	o->stdout_taken = o->stdout_taken || standard;
	o->list[o->n].path = path;
	o->list[o->n].format = format;
	o->list[o->n++].output.fd = -1;
	return 0;
}

int et_output_open(struct et_output *o, const char *path, struct et_error *err)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
			  : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	bool created = !standard && fd >= 0;

	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	*o = (struct et_output){ .path = path, .fd = fd, .created = created };
	return 0;
}

/*
 * Creates a new file beside the old one, with its mode. Returns -1 if renaming it over the old one
 * would change more than the contents: the old one is not a regular file, belongs to somebody else
 * or has several links; or if the directory is not writable.
 */
static int open_beside(struct et_output *o)
{
	struct stat st;

	if (!strcmp(o->path, "-") || fstat(o->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
		st.st_uid != geteuid() || st.st_nlink != 1)
		return -1;
	o->real = realpath(o->path, NULL);
	if (!o->real)
		return -1;
	o->temporary = et_asprintf("%s.XXXXXX", o->real);
	int fd = mkostemp(o->temporary, O_CLOEXEC);
	if (fd >= 0 && fchmod(fd, st.st_mode & 07777) == 0)
		return fd;
	if (fd >= 0) {
		close(fd);
		unlink(o->temporary);
	}
	free(o->temporary);
	o->temporary = NULL;
	return -1;
}

FILE *et_output_begin(struct et_output *o, struct et_error *err)
{
	int fd = open_beside(o);

	if (fd >= 0) {
		close(o->fd);
		o->fd = fd;
	}
	if (fd >= 0 || !strcmp(o->path, "-") || ftruncate(o->fd, 0) == 0 || errno == EINVAL)
		o->file = fdopen(o->fd, "w");
	if (o->file)
		o->fd = -1;
	else
		et_fail_file(err, errno, ET_EXIT_OUTSIDE, o->path);
	return o->file;
}

int et_output_end(struct et_output *o, struct et_error *err)
{
	int rc = et_cli_close_output(o->file, o->path, err);

	o->file = NULL;
	if (rc == 0 && o->temporary && rename(o->temporary, o->real) < 0)
		rc = et_fail_file(err, errno, ET_EXIT_OUTSIDE, o->path);
	if (rc == 0) {
		free(o->temporary);
		o->temporary = NULL;
		o->created = false;
	}
	return rc;
}

void et_output_close(struct et_output *o)
{
	struct stat st;

	if (o->file)
		fclose(o->file);
	et_cleanup_close(&o->fd);
	if (o->temporary)
		unlink(o->temporary);
	/* Nothing was written: leave no empty file where there was none. */
	if (o->created && stat(o->path, &st) == 0 && st.st_size == 0)
		unlink(o->path);
	free(o->temporary);
	free(o->real);
}

int et_outputs_open(struct et_outputs *o, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < o->n; i++)
		rc = et_output_open(&o->list[i].output, o->list[i].path, err);
	return rc;
}

int et_outputs_write(struct et_outputs *o, const struct et_experiment *e,
	const struct et_judgement *j, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < o->n; i++) {
		FILE *f = et_output_begin(&o->list[i].output, err);
		if (!f)
			return -EIO;
		o->list[i].format->write(e, j, f);
		rc = et_output_end(&o->list[i].output, err);
	}
	return rc;
}

void et_outputs_close(struct et_outputs *o)
{
	for (size_t i = 0; i < o->n; i++)
		et_output_close(&o->list[i].output);
}
