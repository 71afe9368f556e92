# A sample: what each kind of item becomes.

library(stats)
require("methods")
source("helpers.R")

LIMIT <- 3

#' Makes a pool of connections.
#'
#' @param size How many there may be.
#' @export
new_pool <- function(size = LIMIT) {
  pool <- list(free = vector("list", size), busy = list())
  class(pool) <- "pool"
  check <- function(x) {
    stopifnot(length(x) <= size)
  }
  check(pool$free)
  pool
}

size <- function(pool) length(pool$free)

# Takes a connection out of the pool.
take.pool = function(pool,
                     from = c("front", "back"),
                     ...) {
  from <- match.arg(from)
  taken <- pool$free[[1]]
  pool$free <- pool$free[-1]
  stats::setNames(list(taken, pool), c("taken", "pool"))
}

`%+%` <- function(a, b) paste0(a, b)

.hidden <- \(x) x + 1

setClass("Pool", representation(free = "list", busy = "list"))

setGeneric("giveBack", function(pool, connection) {
  standardGeneric("giveBack")
})

#' Gives it back.
setMethod("giveBack", "Pool", function(pool, connection) {
  pool@free <- c(pool@free, list(connection))
  pool@busy <- Filter(function(each) each$id != connection$id, pool@busy)
  validObject(pool)
  pool
})

Counter <- R6::R6Class("Counter",
  public = list(
    count = 0,
    add = function(by = 1) {
      self$count <- self$count + by
      invisible(self)
    }
  )
)

test_that("the oldest comes first", {
  pool <- new_pool()
  expect_equal(size(pool), 3)
  expect_null(take(pool)$taken)
  print("a" %+% "b")
})
