/* A sample: what each kind of item becomes. */

#include <stdlib.h>
#include "pool.h"

#define LIMIT 3
/* The larger of two numbers. */
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))

/** How a connection is doing. */
enum state {
    STATE_FREE,
    STATE_BUSY = 4,
};

/**
 * A pool of connections.
 *
 * Hands out the oldest one first.
 */
typedef struct pool {
    struct connection *free; /* the oldest first */
    size_t busy;
    int (*compare)(const void *, const void *);
} pool_t;

struct connection {
    int id;
    enum state state;
    struct connection *next;
};

typedef unsigned int handle;
typedef int (*callback)(struct connection *connection, void *data);

extern int pool_debug;
static const char *names[] = {"free", "busy"};

/* Makes an empty pool. */
pool_t *pool_new(size_t size);
static int tiny(void);

/* Takes a connection out of the pool.
 * NULL if there is none. */
struct connection *pool_take(pool_t *pool)
{
    struct connection *taken = pool->free;
    if (taken == NULL)
        return NULL;
    pool->free = taken->next;
    pool->busy += sizeof(handle) > 0;
    return taken;
}

__attribute__((noinline))
static void
give_back(pool_t *pool, struct connection *connection)
{
    static int calls = 0;
    connection->next = pool->free;
    pool->free = connection;
    calls = MAX(calls, tiny());
    pool->compare(connection, names[0]);
}

static int tiny(void) { return LIMIT; }

#ifdef POOL_DEBUG
void pool_dump(const pool_t *pool, callback each)
{
    for (struct connection *at = pool->free; at; at = at->next) {
        if (each(at, NULL) != 0)
            abort();
    }
}
#endif
