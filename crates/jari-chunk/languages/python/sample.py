"""A sample: what each kind of item becomes."""

import os
from dataclasses import dataclass

LIMIT = 3


@dataclass
class Pool:
    """A pool of connections.

    Hands out the oldest one first.
    """

    free: list
    busy: dict

    def take(self) -> "Connection":
        """Takes a connection out of the pool."""
        connection = self.free.pop()
        self.busy[connection.id] = connection
        return connection

    def size(self):
        return len(self.free)

    # Gives it back.
    @classmethod
    def give_back(cls, connection):
        del cls.busy[connection.id]
        cls.free.append(connection)
        assert len(cls.free) <= LIMIT


def with_backoff(send):
    for _ in range(LIMIT):
        if send():
            return True
    return False


if __name__ == "__main__":
    print(with_backoff(lambda: os.path.exists("x")))
