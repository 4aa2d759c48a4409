/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Separate debug files: the symbols of files that were stripped, as distributions package them. */
#pragma once

#include "profile/symbols/elf_file.h"

#ifdef ET_HAVE_DW

/*
 * Opens the debug file of the file at `path`: by the build id below /usr/lib/debug/.build-id, or by
 * .gnu_debuglink beside the file, in its folder .debug and below /usr/lib/debug. It is used only if
 * its build id is the same, or if neither has one and the checksum of the link agrees. Returns
 * whether there is one.
 */
bool et_debug_file_open(
	const char *root, const char *path, const struct et_elf *file, struct et_elf *out) ET_CHECK;

#endif
