/* A sample: what each kind of definition becomes. */
@file:JvmName("Pools")

package com.example.pool

import java.util.ArrayDeque
import kotlinx.coroutines.delay as pause

/** How many connections there may be. */
const val LIMIT = 3

typealias Listener<T> = (T) -> Unit

/**
 * A pool of connections.
 */
@Service("pool")
open class Pool<T : Connection>(private val free: ArrayDeque<T>) : Store(), Closeable {
    private val listeners = mutableListOf<Listener<T>>()

    /** How many are free. */
    @get:JvmName("count")
    val size: Int
        get() = free.size

    init {
        val local = 1
        check(local > 0)
    }

    constructor() : this(ArrayDeque())

    /** Takes a connection out of the pool. */
    @Throws(PoolException::class)
    override suspend fun take(wait: Long): T? {
        val connection = free.pollFirst()
        val log = { text: String -> println(text) }
        pause(wait)
        log(connection.toString())
        return connection
    }

    fun isEmpty() = free.isEmpty()

    companion object {
        const val NAME = "pool"

        fun of(vararg all: Connection): Pool<Connection> = Pool(ArrayDeque(all.toList()))
    }

    private class Entry(val key: String)
}

/** What a connection can do. */
interface Connection {
    val id: Int

    /** Sends bytes. */
    fun send(bytes: ByteArray): Int
}

data class Pair<K, V>(val key: K, val value: V)

enum class State(val code: String) {
    FREE("f"),
    /** In use. */
    BUSY("b");

    fun label(): String = code
}

object Registry {
    fun register(pool: Pool<*>) {
        println(pool)
    }
}

/** Tries three times. */
@Traced
internal inline fun withBackoff(send: () -> Boolean): Boolean {
    repeat(LIMIT) {
        if (send()) return true
    }
    return false
}

fun String.shout(): String = uppercase()

val onClose = fun(id: Int) { println(id) }

sealed interface Event
