/* A sample: what each kind of definition becomes. */
package com.example.pool

import scala.collection.mutable.{Map => MutableMap, Queue}
import java.io.Closeable

/** A pool of connections.
  *
  * Hands out the oldest one first.
  */
@deprecated("use Pools", "1.0")
class Pool[T <: Connection](private val free: Queue[T]) extends Store with Closeable {
  private val listeners = MutableMap.empty[String, T => Unit]
  var size: Int = 0

  def this() = this(Queue.empty)

  /** Takes a connection out of the pool. */
  @throws[InterruptedException]
  override def take(wait: Long)(implicit clock: Clock): Option[T] = {
    val connection = free.dequeueFirst(_.isOpen)
    val log = (text: String) => println(text)
    def inner(): Unit = log("inner")
    inner()
    connection.map(identity)
  }

  def isEmpty: Boolean = free.isEmpty

  private class Entry(val key: String)
}

object Pool {
  /** How many connections there may be. */
  final val Limit = 3

  def apply[T <: Connection](all: T*): Pool[T] = new Pool(Queue(all: _*))
}

/** What a connection can do. */
trait Connection {
  type Id

  val name: String

  /** Sends bytes. */
  def send(bytes: Array[Byte]): Int
}

case class Pair[K, V](key: K, value: V)

sealed abstract class State(val code: String)

case object Free extends State("f")

package object retry {
  type Attempt = () => Boolean

  /** Tries three times. */
  def withBackoff(send: Attempt): Boolean = {
    var left = Pool.Limit
    while (left > 0 && !send()) {
      left -= 1
    }
    left > 0
  }
}

enum Color(val rgb: Int):
  /** Like blood. */
  case Red extends Color(0xff0000)
  case Green, Blue

/** Prints loudly. */
given Show[State] with
  def show(state: State): String = state.code

extension (text: String)
  /** Louder. */
  def shout: String = text.toUpperCase

def topLevel(name: String): String =
  val greeting = s"Hello $name"
  greeting.shout
