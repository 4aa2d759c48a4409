/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files that a command reads and writes, as one of its runs showed them: names, not contents.
 * They tell which input was measured, and whether two commands may run at the same time.
 */
#pragma once

#include "base/hash.h"
#include "base/json.h"

/* How the files were found. */
enum et_scouted {
	ET_SCOUTED_NOT,     /* nothing was looked at */
	ET_SCOUTED_CALLS,   /* by the system calls of a run */
	ET_SCOUTED_REFUSED, /* the kernel or container refused that: by the changes in the folder */
	ET_SCOUTED_UNFIT,   /* it would have changed what the program does: likewise, and what was
			    seen by then */
	ET_SCOUTED_PARTLY,  /* by the system calls, but some could not be seen, or too many */
	ET_SCOUTED_WAYS,
};

/* The uses of a file by a command; bits. */
enum et_file_use {
	ET_FILE_READ = 1 << 0,
	ET_FILE_WRITTEN = 1 << 1,  /* its contents, in place; or it is made by open(2) */
	ET_FILE_REPLACED = 1 << 2, /* the name is made, or another file is moved there */
	ET_FILE_REMOVED = 1 << 3,  /* the name is removed, or moved away */
	ET_FILE_LOCKED = 1 << 4,   /* exclusively */
	ET_FILE_BOUND = 1 << 5,    /* "port N", or the address of a Unix socket */
};

enum { ET_FILE_USES = 6 };
extern const char *const et_file_use_names[]; /* keys in JSON, of bit i */
extern const char *const et_scouted_names[];

struct et_file {
	char *name; /* absolute, in printable UTF-8: see et_file_name */
	uint32_t uses;
	bool shared;       /* a conflict was found: the record keeps it */
	uint64_t identity; /* of et_file_identity, when it was scouted; 0: not known */
};

/* At most this many names are kept, of files that are only read, fewer; in the record … */
enum { ET_FILES_MOST = 200, ET_FILES_MOST_READ = 120, ET_FILE_NAME_MOST = 4096 };
/* … and in memory, where conflicts are looked for. */
enum { ET_FILES_SEEN = 4096, ET_FILES_SEEN_READ = 3072 };

struct et_files {
	enum et_scouted scouted;
	struct et_file *list; /* by first use */
	size_t n, cap, reads;
	uint64_t left_out;     /* further names */
	struct et_hash places; /* of names in the list, from 1 */
};

/*
 * Escapes what is not UTF-8 or must not reach a terminal as \xNN. The caller frees it. Two names
 * that differ have different escapes, unless one of them contains such an escape itself.
 */
char *et_file_name(const char *raw);
/*
 * The same number for two names of one regular file, as hard links and bind mounts make them; 0:
 * there is none, or the file system does not know when the file was made.
 */
uint64_t et_file_identity(const char *path);
/* Adds uses of a name (as of et_file_name, copied). NULL: there is no room, so it was counted. */
struct et_file *et_files_add(struct et_files *f, const char *name, uint32_t uses);
void et_files_free(struct et_files *f);
/* Adds all that have a use, and takes over how they were found. */
void et_files_merge(struct et_files *to, const struct et_files *from);
void et_files_copy(struct et_files *to, const struct et_files *from);

/* Why two commands must not run at the same time, the worst first. */
enum et_conflict_kind {
	ET_CONFLICT_NONE,
	ET_CONFLICT_WRITE,  /* both write it */
	ET_CONFLICT_CHANGE, /* both make, replace or remove the name, or one writes it */
	ET_CONFLICT_BIND,   /* both use the port or socket */
	ET_CONFLICT_LOCK,   /* both lock it */
	ET_CONFLICT_READ,   /* one writes in place or removes what the other reads */
};
extern const char *const et_conflict_words[]; /* "both write" … */

/* *name becomes the file of the worst conflict, which is then shared; it belongs to a. */
enum et_conflict_kind et_files_conflict(
	const struct et_files *a, const struct et_files *b, const char **name);

/*
 * Writes {"looked", "read", "written", …}, or null if nothing was looked at: without libraries and
 * settings of the system that are only read and not shared.
 */
void et_files_write(struct et_json *w, const char *key, const void *files);
/* The same as text; NULL if nothing was looked at. The caller frees it. */
char *et_files_text(const struct et_files *f);
