// Package pool is a sample: what each kind of definition becomes.
package pool

import (
	"errors"
	log "example.com/logging"
)

// Limit is how many connections there may be.
const Limit = 3

const (
	// First is the state of a new connection.
	First State = iota
	second
)

var (
	ErrEmpty = errors.New("empty")

	_ Connection = (*Pool)(nil)
)

// State tells what a connection does.
type State int

type Handler = func(id int) error

// Connection is what a pool hands out.
type Connection interface {
	Closer
	// Send sends bytes.
	Send(bytes []byte) (int, error)
}

type (
	// Pair is two values.
	Pair[K comparable, V any] struct {
		Key   K
		Value V
	}

	names []string
)

// Pool is a pool of connections.
//
// It hands out the oldest one first.
type Pool struct {
	free []Connection `json:"free"`
	log  *log.Logger
}

// New makes a pool.
func New(free ...Connection) *Pool {
	return &Pool{free: free}
}

// Take takes a connection out of the pool.
func (p *Pool) Take() (Connection, error) {
	if len(p.free) == 0 {
		return nil, ErrEmpty
	}
	first := p.free[0]
	p.free = p.free[1:]
	return first, nil
}

func (p Pool) size() int { return len(p.free) }

// Swap turns a pair around.
func (p *Pair[K, V]) Swap(with func(K, V) (K, V)) {
	p.Key, p.Value = with(p.Key, p.Value)
}

// WithBackoff tries three times.
func WithBackoff[T any](send func() (T, error)) (result T, err error) {
	const step = 2
	for i := 0; i < Limit; i++ {
		if result, err = send(); err == nil {
			return result, nil
		}
	}
	return result, err
}

var onClose = func(id int) error {
	log.Printf("closed %d", id)
	return nil
}
