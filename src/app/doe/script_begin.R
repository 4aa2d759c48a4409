# SPDX-License-Identifier: GPL-3.0-or-later
# Repeats the analysis of a designed experiment by etalon in R: the analysis of variance
# with its effects (Type III: of balanced runs that of aov), and all pairs of treatments
# with Holm's correction per program. Every treatment must have runs.
# Usage: Rscript SCRIPT [DATA]. It prints CSV: the kind of row, the program, and figures.
options(contrasts = c("contr.sum", "contr.poly"))
argument <- commandArgs(trailingOnly = TRUE)
