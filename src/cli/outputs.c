/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/outputs.h"
#include "cli/cli.h"

#include <assert.h>
#include <fcntl.h>
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
			.context = f,
			.kind = "output" };
	}
	rows[0].group = "the answer, and files"; /* as the last group of the options of `run` */
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
		return et_refuse(err, NULL, "only one output can go to stdout (-)");
	o->stdout_taken = o->stdout_taken || standard;
	o->list[o->n].path = path;
	o->list[o->n++].format = format;
	return 0;
}

int et_output_open(struct et_output *o, const char *path, struct et_error *err)
{
	struct et_outfile target = { .dir = -1 };

	if (strcmp(path, "-")) {
		int rc = et_outfile_open(&target, path, 0, ET_EXIT_OUTSIDE, err);
		if (rc)
			return rc;
	} else {
		target.fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (target.fd < 0)
			return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	}
	*o = (struct et_output){ .path = path, .open = true, .target = target };
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

	if (o->target.dir < 0 || fstat(o->target.fd, &st) < 0 || !S_ISREG(st.st_mode) ||
		st.st_uid != geteuid() || st.st_nlink != 1)
		return -1;
	int fd = et_outfile_beside(&o->target, st.st_mode & 07777, o->temporary);
	if (fd < 0)
		o->temporary[0] = '\0';
	return fd;
}

FILE *et_output_begin(struct et_output *o, struct et_error *err)
{
	int fd = open_beside(o);

	if (fd >= 0) {
		close(o->target.fd);
		o->target.fd = fd;
	}
	if (fd >= 0 || !strcmp(o->path, "-") || ftruncate(o->target.fd, 0) == 0 || errno == EINVAL)
		o->file = fdopen(o->target.fd, "w");
	if (o->file)
		o->target.fd = -1;
	else
		et_fail_file(err, errno, ET_EXIT_OUTSIDE, o->path);
	return o->file;
}

int et_output_end(struct et_output *o, struct et_error *err)
{
	int rc = et_cli_close_output(o->file, o->path, err);
	int dir = o->target.dir;

	o->file = NULL;
	if (rc == 0 && o->temporary[0] && renameat(dir, o->temporary, dir, o->target.name) < 0)
		rc = et_fail_file(err, errno, ET_EXIT_OUTSIDE, o->path);
	if (rc == 0) {
		o->temporary[0] = '\0';
		o->target.created = false;
	}
	return rc;
}

void et_output_close(struct et_output *o)
{
	int dir = o->target.dir;
	struct stat st;

	if (!o->open)
		return;
	if (o->file)
		fclose(o->file);
	et_cleanup_close(&o->target.fd);
	if (o->temporary[0])
		unlinkat(dir, o->temporary, 0);
	/* Nothing was written: leave no empty file where there was none. */
	if (o->target.created && fstatat(dir, o->target.name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		st.st_size == 0)
		unlinkat(dir, o->target.name, 0);
	et_cleanup_close(&o->target.dir);
	o->open = false;
}

FILE *et_output_start(struct et_output *o, const char *path, struct et_error *err)
{
	*o = (struct et_output){ 0 };
	return et_output_open(o, path, err) ? NULL : et_output_begin(o, err);
}

int et_output_finish(struct et_output *o, int rc, struct et_error *err)
{
	if (!o->file)
		rc = -EIO; /* err has the reason */
	else if (rc == 0)
		rc = et_output_end(o, err);
	et_output_close(o);
	return rc;
}

int et_output_write(const char *path, const char *option, void (*write)(const void *ctx, FILE *out),
	const void *ctx, struct et_error *err)
{
	struct et_output out;

	if (!path)
		return 0;
	if (!strcmp(path, "-"))
		return et_refuse(err, "name a file",
			"--%s: standard output is used for text or JSON", option);
	FILE *f = et_output_start(&out, path, err);
	if (f)
		write(ctx, f);
	return et_output_finish(&out, 0, err);
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
