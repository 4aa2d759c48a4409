/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * steal-input FILE: tries to read what is typed on the terminal that is its standard output or
 * error, and to put something into the input of that terminal. Writes into FILE what succeeded.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void try_reading(FILE *out, int fd)
{
	char text[64];

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	if (n >= 0)
		fprintf(out, "read from descriptor %d: %s\n", fd, text);
	else
		fprintf(out, "descriptor %d: %m\n", fd);
}

/* The node of the terminal itself, opened again. */
static void try_opening(FILE *out, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int again = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (again >= 0) {
		fprintf(out, "opened %s\n", path);
		close(again);
	}
}

int main(int argc, char **argv)
{
	FILE *out = argc > 1 ? fopen(argv[1], "we") : NULL;
	char letter = 'x', paste = 3 /* TIOCL_PASTESEL */;

	if (!out)
		return 2;
	for (int fd = 1; fd <= 2; fd++) {
		fprintf(out, "descriptor %d is %s terminal\n", fd, isatty(fd) ? "a" : "no");
		try_reading(out, fd);
		try_opening(out, fd);
		if (ioctl(fd, TIOCSTI, &letter) == 0)
			fprintf(out, "TIOCSTI on descriptor %d\n", fd);
		if (ioctl(fd, TIOCLINUX, &paste) == 0)
			fprintf(out, "TIOCLINUX on descriptor %d\n", fd);
		if (ioctl(fd, TIOCSCTTY, 0) == 0)
			fprintf(out, "TIOCSCTTY on descriptor %d\n", fd);
	}
	printf("output of the program\n");
	return fclose(out) ? 1 : 0;
}
