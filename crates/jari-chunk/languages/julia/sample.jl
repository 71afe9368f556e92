# A sample: what each kind of item becomes.

module Net

using Printf
import Base: show, length
export Pool, take!

include("connection.jl")

const LIMIT = 3
debug = false

"""
Things with a number.
"""
abstract type Numbered end

primitive type Handle 32 end

@enum State free busy

"""
    Pool(size)

A pool of connections. Hands out the oldest one first.
"""
mutable struct Pool{T} <: Numbered
    free::Vector{T}
    busy::Dict{Int,T}
    size

    function Pool{T}(size::Int) where {T}
        size > 0 || throw(ArgumentError("too small"))
        free = Vector{T}()
        sizehint!(free, size)
        new{T}(free, Dict{Int,T}(), size)
    end
end

struct Connection
    id::Int
end

# Takes a connection out of the pool.
function take!(pool::Pool{T})::Union{T,Nothing} where {T}
    isempty(pool.free) && return nothing
    taken = popfirst!(pool.free)
    pool.busy[taken.id] = taken
    return taken
end

length(pool::Pool) = length(pool.free)

Base.show(io::IO, pool::Pool) = print(io, "Pool of ", length(pool))

"Gives it back."
function give_back!(pool::Pool, connection; check=true)
    delete!(pool.busy, connection.id)
    push!(pool.free, connection)
    check && @assert length(pool.free) <= LIMIT
    pool
end

"""
Tries a few times.
"""
macro retry(times, body)
    quote
        for _ in 1:$(esc(times))
            $(esc(body)) && break
        end
    end
end

@inline tiny(x) = x + 1

module Retry

function with_backoff(send)
    for _ in 1:3
        send() && return true
    end
    false
end

end # module Retry

end # module Net

names = map(Net.take!, [])
