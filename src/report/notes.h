/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The notes below the short text of a result: few, ranked, one per cause for the whole experiment.
 * Verbose text, JSON and pages have all warnings.
 */
#pragma once

#include "draw/terminal.h"
#include "model/result/result.h"

/*
 * Prints those that fit into this many lines, and returns how many are left. A note with the run
 * that decides between commands that ran one after the other is printed in any case, and not
 * counted.
 */
size_t et_notes(const struct et_judgement *j, const struct et_page *page, size_t lines);
