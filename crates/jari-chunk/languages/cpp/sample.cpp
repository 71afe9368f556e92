// A sample: what each kind of item becomes.

#include <vector>
#include "pool.hpp"

#define POOL_LIMIT 3

using std::vector;

namespace net {

/// How a connection is doing.
enum class State { Free, Busy };

template <typename T>
using List = std::vector<T>;

struct Connection {
    int id = 0;
    State state{State::Free};
};

/// A pool of connections.
///
/// Hands out the oldest one first.
class Pool : public Base {
public:
    /// Makes an empty pool.
    explicit Pool(std::size_t size) : size_(size)
    {
        free_.reserve(size);
        busy_.reserve(size);
        log("made");
    }
    virtual ~Pool() = default;

    Connection *take();
    static Pool &shared();

    std::size_t size() const noexcept { return size_; }

    bool operator==(const Pool &other) const
    {
        if (other.size() != size()) {
            return false;
        }
        return free_ == other.free_;
    }

private:
    List<Connection> free_;
    vector<Connection> busy_;
    std::size_t size_;
    static constexpr int kLimit = 3;

    struct Slot {
        int index;
    };
};

// Takes a connection out of the pool.
Connection *Pool::take()
{
    if (free_.empty()) {
        throw std::runtime_error("empty");
    }
    auto *taken = new Connection(free_.back());
    free_.pop_back();
    return taken;
}

/// The larger of two values.
template <typename T>
const T &larger(const T &a, const T &b)
{
    if (a < b) {
        return b;
    }
    return a;
}

template <class Key>
class Registry {
    std::map<Key, Pool> pools_;
};

namespace detail {
static int tiny() { return POOL_LIMIT; }
constexpr int kRetries = tiny();
} // namespace detail

} // namespace net

int main(int argc, char **argv)
{
    net::Pool pool(net::larger(argc, 2));
    auto *connection = pool.take();
    auto id = [&] { return connection->id; };
    return static_cast<int>(id());
}
