# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the elapsed and the CPU time, in seconds, that R's boot takes for the standard deviation.
# Usage: Rscript bootstrap.R N REPLICATES
a <- as.integer(commandArgs(TRUE))
x <- 10 + rnorm(a[1])
t <- system.time(boot::boot(x, function(d, i) sd(d[i]), R = a[2]))
cat(t[["elapsed"]], t[["user.self"]] + t[["sys.self"]], "\n")
