//! A sample: what each kind of item becomes.

const std = @import("std");
const Allocator = std.mem.Allocator;

const limit: usize = 3;
pub var debug = false;

/// How a connection is doing.
pub const State = enum(u8) {
    free,
    busy,

    pub fn isFree(self: State) bool {
        return self == .free;
    }
};

/// A pool of connections.
///
/// Hands out the oldest one first.
pub const Pool = struct {
    free: std.ArrayList(Connection),
    busy: usize = 0,

    const Self = @This();

    /// Takes a connection out of the pool.
    pub fn take(self: *Self) ?Connection {
        const taken = self.free.popOrNull() orelse return null;
        self.busy += 1;
        std.debug.assert(self.busy <= limit);
        return taken;
    }

    fn len(self: Self) usize {
        return self.free.items.len;
    }
};

const Connection = packed struct {
    id: u32,
};

const Payload = union(enum) {
    text: []const u8,
    number: i64,
};

pub const PoolError = error{ Empty, Full };

/// A list of anything.
pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn first(self: @This()) ?T {
            if (self.items.len == 0) {
                return null;
            }
            return self.items[0];
        }
    };
}

export fn tiny() void {}
extern "c" fn getpid() c_int;

// Tries three times.
fn withBackoff(send: *const fn () bool) PoolError!void {
    var times: usize = 0;
    while (times < limit) : (times += 1) {
        if (send()) return;
    }
    return PoolError.Empty;
}

test "takes the oldest" {
    var pool = Pool{ .free = std.ArrayList(Connection).init(std.testing.allocator) };
    defer pool.free.deinit();
    try std.testing.expect(pool.take() == null);
    try withBackoff(&alwaysTrue);
}
