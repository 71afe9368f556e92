(* A sample: what each kind of item becomes. *)

open Printf
module Map = Stdlib.Map.Make (Int)

let limit = 3

exception Empty of string

(** How a connection is doing. *)
type state =
  | Free
  | Busy of int
[@@deriving show]

(** A pool of connections.

    Hands out the oldest one first. *)
type 'a pool = {
  free : 'a list; (* the oldest first *)
  mutable busy : 'a Map.t;
}

and handle = int

external now : unit -> float = "caml_now"

(** Takes a connection out of the pool. *)
let take (pool : 'a pool) : ('a * 'a pool) option =
  match pool.free with
  | [] -> None
  | taken :: rest ->
    let left = { pool with free = rest } in
    Some (taken, left)

let size pool = List.length pool.free

let rec even n = if n = 0 then true else odd (n - 1)
and odd n = if n = 0 then false else even (n - 1)

let ( +++ ) a b =
  { free = a.free @ b.free; busy = a.busy }

module type NUMBERED = sig
  type t

  (** The number. *)
  val number : t -> int
end

(** Tries again. *)
module Retry = struct
  let times = 3

  (** Tries three times. *)
  let with_backoff send =
    let rec go left =
      if left = 0 then raise (Empty "none")
      else if send () then true
      else go (left - 1)
    in
    go times
end

module Make (N : NUMBERED) = struct
  let describe value = sprintf "number %d" (N.number value)
end

class counter start =
  object (self)
    val mutable count = start

    method add by =
      count <- count + by;
      if count > limit then
        self#reset;
      count

    method private reset = count <- 0
  end

let () =
  let pool = { free = [ 1 ]; busy = Map.empty } in
  printf "%d\n" (size pool)
