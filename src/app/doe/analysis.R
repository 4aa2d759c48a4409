# SPDX-License-Identifier: GPL-3.0-or-later
d <- read.csv(file, comment.char = "#", colClasses = "character", check.names = FALSE)
d <- d[d$counts == "1", ]
d$y <- as.numeric(d[[response]])
plain <- function(x) sub("^'([-=+@])", "\\1", x)
names <- character(0)
for (i in seq_along(factors)) {
  f <- factors[[i]]
  d[[paste0("f", i)]] <- factor(plain(d[[f$name]]), levels = f$levels)
  names[i] <- f$name
}
if (blocked) d$b <- factor(d$block)
blocked <- blocked && nlevels(d$b) > 1
# The mean at the second level minus that at the first, of interactions half the
# difference of the differences; of more levels the largest minus the smallest mean.
# All treatments weigh the same. contr.sum has 1 for the first and -1 for the last level.
effect <- function(a, x, columns) {
  levels <- sapply(columns, function(c) nlevels(x[[c]]))
  term <- which(attr(terms(a), "term.labels") == paste(columns, collapse = ":"))
  b <- coef(a)[attr(model.matrix(a), "assign") == term]
  if (all(levels == 2)) return(unname(2 * (-1)^length(columns) * b))
  if (length(columns) > 1) return(NA)
  diff(range(b, -sum(b)))
}
show <- function(...) cat(paste(sapply(list(...), function(v)
  if (is.numeric(v)) format(v, digits = 15) else v), collapse = ","), "\n", sep = "")
analyse <- function(program, x) {
  columns <- paste0("f", seq_along(factors))
  right <- paste(columns, collapse = " * ")
  a <- aov(as.formula(paste("y ~", if (blocked) "b +" else "", right)), x)
  table <- drop1(a, . ~ ., test = "F")
  for (i in seq_len(nrow(table))) {
    term <- rownames(table)[i]
    if (term %in% c("<none>", "b")) next
    columns <- strsplit(term, ":")[[1]]
    name <- paste(names[as.integer(sub("f", "", columns))], collapse = ":")
    show("effect", program, name, effect(a, x, columns),
      table[i, "Df"], table[i, "Sum of Sq"], table[i, "F value"], table[i, "Pr(>F)"])
  }
}
# Machines stand for many: each term is tested against its variation from machine to
# machine (Greenhouse and Geisser's degrees of freedom), and components of variance are
# those of logarithms; lme4::lmer(log(y) ~ t + (1 | b / t)) fits them by REML.
of_machines <- function(program, x) {
  columns <- paste0("f", seq_along(factors))
  right <- paste(columns, collapse = " * ")
  m <- aggregate(as.formula(paste("y ~ b +", paste(columns, collapse = " + "))), x, mean)
  count <- table(m$b)
  m <- m[m$b %in% names(count)[count == max(count)], ]
  m$b <- factor(m$b)
  a <- aov(as.formula(paste("y ~", right)), m)
  error <- paste0(" + Error(b / (", right, "))")
  strata <- summary(aov(as.formula(paste0("y ~ ", right, error)), m))
  m <- m[do.call(order, m[c(rev(columns), "b")]), ]
  means <- matrix(m$y, nrow = nlevels(m$b))
  design <- model.matrix(as.formula(paste("~", right)), m[m$b == m$b[1], ])
  labels <- attr(terms(a), "term.labels")
  for (i in seq_along(labels)) {
    columns <- strsplit(labels[i], ":")[[1]]
    table <- strata[[paste0("Error: b:", labels[i])]][[1]]
    q <- qr.Q(qr(design[, attr(design, "assign") == i, drop = FALSE]))
    s <- cov(means %*% q)
    df <- sum(diag(s))^2 / sum(s^2)
    f <- table[1, "F value"]
    name <- paste(names[as.integer(sub("f", "", columns))], collapse = ":")
    show("effect", program, name, effect(a, m, columns), df,
      table[1, "Sum Sq"] * nrow(x) / nrow(m), f,
      pf(f, df, df * (nlevels(m$b) - 1), lower.tail = FALSE))
  }
}
components <- function(program, x) {
  t <- interaction(x[paste0("f", seq_along(factors))], drop = TRUE)
  of <- function(f) tapply(log(x$y), list(x$b, t), f)
  whole <- apply(!is.na(of(mean)), 1, all)
  n <- of(length)[whole, ]
  m <- of(mean)[whole, ]
  within <- sum(of(var)[whole, ] * (n - 1), na.rm = TRUE) / sum(n - 1)
  rest <- sweep(m - rowMeans(m), 2, colMeans(m - rowMeans(m)))
  both <- sum(rest^2) / (nrow(m) - 1) / (ncol(m) - 1)
  v <- c(between_machines = var(rowMeans(m)) - both / ncol(m),
    machine_by_treatment = both - within * mean(1 / n), within_machines = within)
  v[v < 0] <- 0
  for (i in names(v))
    show("component", program, i, 100 * sqrt(v[[i]]), 100 * v[[i]] / sum(v))
}
# The protocol of Nogueira and Matias for two independent samples.
test <- function(x, y) {
  normal <- function(v) length(unique(v)) > 1 && shapiro.test(v)$p.value > 0.05
  if (normal(x) && normal(y)) {
    equal <- var.test(x, y)$p.value > 0.05
    return(list(if (equal) "student" else "welch",
      t.test(x, y, var.equal = equal)$p.value))
  }
  list("wilcoxon", suppressWarnings(wilcox.test(x, y)$p.value))
}
compare <- function(program, x) {
  columns <- paste0("f", seq_along(factors))
  cells <- split(x$y, x[rev(columns)], drop = TRUE, lex.order = TRUE)
  label <- function(t) { r <- x[do.call(interaction, c(x[rev(columns)],
    list(lex.order = TRUE, drop = TRUE))) == t, ][1, ]
    paste(paste0(names, "=", sapply(columns, function(c) as.character(r[[c]]))),
      collapse = " ") }
  labels <- sapply(names(cells), label)
  rows <- list()
  for (i in seq_along(cells)) for (k in seq_along(cells)) if (i < k)
    rows[[length(rows) + 1]] <- c(list(labels[i], labels[k]), test(cells[[i]], cells[[k]]))
  adjusted <- p.adjust(sapply(rows, function(r) r[[4]]), "holm")
  for (i in seq_along(rows)) show("pair", program, unname(rows[[i]][[1]]),
    unname(rows[[i]][[2]]), rows[[i]][[3]], rows[[i]][[4]], adjusted[i])
}
cat("effect,program,term,effect,df,sum of squares,F,p\n")
judge <- if (machines) of_machines else analyse
for (p in unique(d$program)) judge(p, d[d$program == p, ])
# If machines have several parts, the data do not say which run was in which.
if (machines && !parts) {
  cat("component,program,name,sd in percent,percent of the variance\n")
  for (p in unique(d$program)) components(p, d[d$program == p, ])
}
cat("pair,program,a,b,test,p,p_holm\n")
for (p in unique(d$program)) compare(p, d[d$program == p, ])
