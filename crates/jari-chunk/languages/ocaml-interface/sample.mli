(** A sample: what each kind of item becomes. *)

open Printf

exception Empty of string

(** How a connection is doing. *)
type state =
  | Free
  | Busy of int

type 'a pool = {
  free : 'a list;  (** the oldest first *)
  busy : 'a list;
}

type handle

val limit : int

(** Takes a connection out of the pool.

    [None] if there is none. *)
val take :
  ?first:bool ->
  'a pool ->
  ('a * 'a pool) option

external now : unit -> float = "caml_now"

(** Things with a number. *)
module type NUMBERED = sig
  type t

  val number : t -> int
end

(** Tries again. *)
module Retry : sig
  val times : int

  (** Tries three times. *)
  val with_backoff : (unit -> bool) -> bool
end

module Make (N : NUMBERED) : sig
  val describe : N.t -> string
end

class counter : int -> object
  method add : int -> int
  method private reset : unit
end
