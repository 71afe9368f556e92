/* A sample: what each kind of definition becomes. */
package com.example.pool;

import java.util.ArrayDeque;
import java.util.Map;
import static java.util.Objects.requireNonNull;

/**
 * A pool of connections.
 *
 * <p>Hands out the oldest one first.
 */
@Component("pool")
@SuppressWarnings({"unchecked", "rawtypes"})
public class Pool<T extends Connection> extends Store implements Closeable {
    public static final int LIMIT = 3;

    /** Those that nobody uses. */
    @Inject
    private final ArrayDeque<T> free = new ArrayDeque<>();
    int width, height;

    static {
        int local = 1;
        System.loadLibrary("pool" + local);
    }

    /** Makes an empty pool. */
    public Pool() {
        super("pool");
    }

    /** Takes a connection out of the pool. */
    @Override
    @Deprecated
    public T take(int wait) throws InterruptedException {
        final T connection = requireNonNull(free.pollFirst());
        Runnable log = () -> System.out.println(connection);
        log.run();
        return connection;
    }

    int size() {
        return free.size();
    }

    private static class Entry {
        String key;
    }
}

/** What a connection can do. */
interface Connection {
    String NAME = "connection";

    /** Sends bytes. */
    @Nullable
    int send(byte[] bytes);

    default boolean isOpen() {
        return new Socket().isBound();
    }
}

/** What it does. */
public enum State {
    FREE("f"),
    /** In use. */
    BUSY("b") {
        @Override
        String label() {
            return "busy";
        }
    };

    private final String code;

    State(String code) {
        this.code = code;
    }
}

public record Pair<K, V>(K key, V value) {
    public Pair {
        requireNonNull(key);
    }
}

@Retention(RetentionPolicy.RUNTIME)
public @interface Traced {
    String value() default "";
}
