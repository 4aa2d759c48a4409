/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening outputs, in particular where another user has planted the name. */
#include "base/outfile.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

enum { SOMEBODY = 65534 };

static struct et_error err;

static int try(const char *path, int flags)
{
	int fd = et_outfile_fd(path, flags, ET_EXIT_OUTSIDE, &err);

	if (fd < 0)
		return fd;
	int rc = write(fd, "new", 3) == 3 ? 0 : -errno;
	close(fd);
	return rc;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		tap_bail("cannot write %s", path);
	close(fd);
}

static bool holds(const char *path, const char *text)
{
	char buf[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	return n == (ssize_t)strlen(text) && !strcmp(buf, text);
}

static void make_folder(const char *path, mode_t mode)
{
	if (mkdir(path, 0700) || chmod(path, mode))
		tap_bail("cannot make %s", path);
}

static void link_to(const char *target, const char *path, uid_t owner)
{
	if (symlink(target, path) || (owner != geteuid() && lchown(path, owner, owner)))
		tap_bail("cannot make the link %s", path);
}

static void test_plain(void)
{
	struct et_outfile o;

	ok(try("a", 0) == 0 && holds("a", "new"), "a missing file is created");
	ok(try("a", O_APPEND) == 0 && holds("a", "newnew"), "O_APPEND appends");
	ok(try("a", O_TRUNC) == 0 && holds("a", "new"), "O_TRUNC empties the file");
	ok(et_outfile_open(&o, "b", 0, ET_EXIT_OUTSIDE, &err) == 0 && o.created, "created is set");
	close(o.fd);
	close(o.dir);
	ok(et_outfile_open(&o, "./b", 0, ET_EXIT_OUTSIDE, &err) == 0 && !o.created,
		"created is not set for a file that existed");
	is_str(o.name, "b", "the name has no folder");
	close(o.fd);
	close(o.dir);
	ok(try("/dev/null", O_TRUNC) == 0, "a device can be written");
	ok(try("", 0) == -ENOENT, "an empty path is refused");
	ok(try("none/x", 0) == -ENOENT, "a missing folder is reported");
	ok(try("a/x", 0) == -ENOTDIR, "a file in place of a folder is reported");
	make_folder("folder", 0700);
	ok(try("folder", 0) == -EISDIR && try("folder/", 0) == -EISDIR, "a folder is reported");
	ok(try("folder/.", 0) == -EISDIR && try("/", 0) == -EISDIR, "dot and root are folders");
	char name[NAME_MAX + 2];
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ok(try(name, 0) == -ENAMETOOLONG, "a name that is too long is reported");
	err.exit = ET_EXIT_DONE;
	ok(et_outfile_fd("none/x", 0, ET_EXIT_USAGE, &err) < 0 && err.exit == ET_EXIT_USAGE,
		"the error has the exit status that the caller gave");
}

static void test_links(void)
{
	char path[PATH_MAX], full[PATH_MAX + 8];
	int fd = open("by-fd", O_WRONLY | O_CREAT, 0600);

	link_to("../a", "folder/up", geteuid());
	link_to("folder/up", "twice", geteuid());
	put("a", "old");
	ok(try("twice", O_TRUNC) == 0 && holds("a", "new"), "relative links are followed");
	link_to("folder/fresh", "dangling", geteuid());
	ok(try("dangling", 0) == 0 && holds("folder/fresh", "new"),
		"a link to a missing file creates it");
	if (!getcwd(path, sizeof(path)))
		tap_bail("getcwd");
	snprintf(full, sizeof(full), "%s/a", path);
	link_to(full, "absolute", geteuid());
	ok(try("absolute", O_TRUNC) == 0, "absolute links are followed");
	link_to("loop", "loop", geteuid());
	ok(try("loop", 0) == -ELOOP, "a loop of links ends");
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	ok(try(path, 0) == 0 && holds("by-fd", "new"), "/dev/fd/N is followed");
	close(fd);
	int ends[2];
	if (pipe(ends))
		tap_bail("pipe");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	ok(try(path, O_TRUNC) == 0, "a pipe in /proc/self/fd is followed");
	close(ends[0]);
	close(ends[1]);
}

static void test_beside(void)
{
	char temporary[NAME_MAX + 1];
	struct et_outfile o;
	struct stat st;

	if (et_outfile_open(&o, "twice", 0, ET_EXIT_OUTSIDE, &err))
		tap_bail("twice");
	is_str(o.name, "a", "the name is that of the file, after all links");
	int fd = et_outfile_beside(&o, 0640, temporary);
	ok(fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0640,
		"a file is created beside it with the mode");
	close(fd);
	ok(unlinkat(o.dir, temporary, 0) == 0, "the file beside it is in the same folder");
	memset(o.name, 'n', NAME_MAX);
	o.name[NAME_MAX] = '\0';
	ok(et_outfile_beside(&o, 0600, temporary) == -ENAMETOOLONG,
		"a name that would be too long is reported");
	close(o.fd);
	close(o.dir);
}

static void refused(const char *path, const char *victim, const char *what)
{
	err.what[0] = '\0';
	ok(try(path, O_TRUNC) == -EACCES && strstr(err.what, "shared") && holds(victim, "old"),
		"%s is refused, and nothing is written", what);
}

/* In a sticky folder of this mode. */
static void test_shared(mode_t mode)
{
	put("victim", "old");
	make_folder("shared", mode);
	link_to("../victim", "shared/link", SOMEBODY);
	refused("shared/link", "victim", "a link of another user");
	link_to("../fresh", "shared/dangling", SOMEBODY);
	ok(try("shared/dangling", 0) == -EACCES && access("fresh", F_OK) < 0,
		"a link of another user creates no file");
	link_to("shared/link", "chain", geteuid());
	refused("chain", "victim", "our link to a link of another user");
	put("shared/theirs", "old");
	if (chown("shared/theirs", SOMEBODY, SOMEBODY))
		tap_bail("chown");
	refused("shared/theirs", "shared/theirs", "a file of another user");
	if (mkfifo("shared/fifo", 0666) || chown("shared/fifo", SOMEBODY, SOMEBODY))
		tap_bail("mkfifo");
	ok(try("shared/fifo", 0) == -EACCES, "a FIFO of another user is refused without waiting");
	if (link("victim", "shared/hard"))
		tap_bail("link");
	refused("shared/hard", "victim", "a hard link to our file");
	unlink("shared/hard");
	link_to("../victim", "shared/ours", geteuid());
	ok(try("shared/ours", O_TRUNC) == 0 && holds("victim", "new"), "our own link is followed");
	ok(try("shared/new", 0) == 0 && try("shared/new", 0) == 0,
		"our own file is created and written again");
	if (chown("shared", SOMEBODY, SOMEBODY))
		tap_bail("chown");
	ok(try("shared/theirs", O_TRUNC) == 0, "a file of the folder's owner is written");
	ok(try("shared/link", O_TRUNC) == 0, "a link of the folder's owner is followed");
	if (chmod("shared", 0777) || chown("shared", geteuid(), getegid()))
		tap_bail("chmod");
	ok(try("shared/theirs", O_TRUNC) == 0, "in a folder that is not sticky, as by the kernel, "
					       "a file of another user is written");
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *w)
{
	(void)st;
	(void)type;
	(void)w;
	return remove(path);
}

int main(void)
{
	char folder[] = "/tmp/etalon-outfile.XXXXXX";

	if (!mkdtemp(folder) || chdir(folder))
		tap_bail("cannot make a folder in /tmp");
	umask(022);
	test_plain();
	test_links();
	test_beside();
	put("probe", "");
	if (geteuid() == 0 && chown("probe", SOMEBODY, SOMEBODY) == 0) {
		test_shared(01777);
		unlink("chain");
		nftw("shared", drop, 8, FTW_DEPTH | FTW_PHYS);
		test_shared(01770);
	} else {
		skip("only root can plant files of another user");
	}
	if (chdir("/") == 0)
		nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS);
	return tap_done();
}
