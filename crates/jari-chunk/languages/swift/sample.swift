// A sample: what each kind of definition becomes.

import Foundation
@testable import struct Network.Endpoint

/// How many connections there may be.
public let limit = 3

public typealias Listener<T> = (T) -> Void

/// A pool of connections.
///
/// Hands out the oldest one first.
@available(iOS 13.0, *)
@MainActor
public final class Pool<T: Connection>: Store, Closable {
    private var free: [T] = []
    static let shared = Pool<Socket>()

    /// How many are free.
    @Published public var size: Int = 0

    var isEmpty: Bool {
        return free.isEmpty
    }

    /// Makes a pool.
    public init(free: [T]) {
        self.free = free
        super.init()
    }

    deinit {
        close()
    }

    /// Takes a connection out of the pool.
    @discardableResult
    public override func take(wait: Int) async throws -> T? {
        let connection = free.popLast()
        let log = { (text: String) in print(text) }
        log("taken")
        listeners.forEach { $0(connection) }
        return connection
    }

    subscript(index: Int) -> T {
        return free[index]
    }

    private struct Entry {
        let key: String
    }
}

/// What a connection can do.
public protocol Connection: AnyObject {
    associatedtype Id
    var id: Id { get }

    /// Sends bytes.
    func send(_ bytes: Data) -> Int
}

struct Point: Equatable {
    var x, y: Double

    static func == (a: Point, b: Point) -> Bool {
        return a.x == b.x
    }
}

/// What it does.
indirect enum State: String {
    case free
    /// In use.
    case busy = "b"

    func label() -> String { rawValue }
}

extension Pool: CustomStringConvertible where T: Equatable {
    public var description: String { "Pool" }

    /// Puts all of them back.
    func reset() {
        let count = free.count
        free.removeAll()
        assert(count >= 0)
    }
}

/// Tries three times.
func withBackoff(_ send: () -> Bool) -> Bool {
    for _ in 0..<limit {
        if send() { return true }
    }
    return false
}

actor Counter {
    var value = 0
}
