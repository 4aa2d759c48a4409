# SPDX-License-Identifier: GPL-3.0-or-later
# Seconds, by the clock and of CPU time, that R's boot takes for the standard deviation:
# Rscript bootstrap.R N REPLICATES
a <- as.integer(commandArgs(TRUE))
x <- 10 + rnorm(a[1])
t <- system.time(boot::boot(x, function(d, i) sd(d[i]), R = a[2]))
cat(t[["elapsed"]], t[["user.self"]] + t[["sys.self"]], "\n")
