/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/outputs.h"
#include "cmd/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

int et_outputs_add(struct et_outputs *o, const char *format, const char *path, struct et_error *err)
{
	bool standard = !strcmp(path, "-");

	if (o->n == ET_MOST_OUTPUTS)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "more than %d output files", ET_MOST_OUTPUTS);
	if (standard && o->stdout_taken)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "two outputs to - (stdout)");
	o->stdout_taken = o->stdout_taken || standard;
	o->list[o->n].path = path;
	o->list[o->n].format = et_format_find(format);
	o->list[o->n++].fd = -1;
	return 0;
}

int et_output_open(const char *path, int *fd, struct et_error *err)
{
	int opened = strcmp(path, "-") ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666)
				       : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	if (opened < 0)
		return et_fail_errno(err, errno, ET_EXIT_OUTSIDE, "%s", path);
	*fd = opened;
	return 0;
}

FILE *et_output_begin(const char *path, int *fd, struct et_error *err)
{
	FILE *f = NULL;

	if (!strcmp(path, "-") || ftruncate(*fd, 0) == 0 || errno == EINVAL)
		f = fdopen(*fd, "w");
	if (f)
		*fd = -1;
	else
		et_fail_errno(err, errno, ET_EXIT_OUTSIDE, "%s", path);
	return f;
}

int et_outputs_open(struct et_outputs *o, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < o->n; i++)
		rc = et_output_open(o->list[i].path, &o->list[i].fd, err);
	return rc;
}

int et_outputs_write(struct et_outputs *o, const struct et_experiment *e,
	const struct et_judgement *j, struct et_error *err)
{
	for (size_t i = 0; i < o->n; i++) {
		const char *path = o->list[i].path;
		FILE *f = et_output_begin(path, &o->list[i].fd, err);
		if (!f)
			return -EIO;
		o->list[i].format->write(e, j, f);
		int rc = et_cli_close_output(f, path, err);
		if (rc)
			return rc;
	}
	return 0;
}

void et_outputs_close(struct et_outputs *o)
{
	for (size_t i = 0; i < o->n; i++)
		et_cleanup_close(&o->list[i].fd);
}
