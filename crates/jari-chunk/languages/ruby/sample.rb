# frozen_string_literal: true

# A sample: what each kind of definition becomes.

require "set"
require_relative "store"

# Things that hold connections.
module Pools
  # How many connections there may be.
  LIMIT = 3

  Closed = Class.new(StandardError)

  # A pool of connections.
  #
  # Hands out the oldest one first.
  class Pool < Store::Base
    include Enumerable

    attr_reader :free

    STATES = %i[free busy].freeze

    def initialize(free = [])
      super()
      @free = free
    end

    # Makes a pool of one connection.
    def self.of(connection)
      new([connection])
    end

    class << self
      # The pool that everyone uses.
      def shared
        @shared ||= new
      end
    end

    # Takes a connection out of the pool.
    def take(wait: 0, &block)
      connection = @free.shift
      log = ->(text) { puts text }
      sleep(wait)
      raise Closed, "gone" unless connection
      block&.call(connection)
    end

    def empty? = @free.empty?

    def <<(connection)
      @free.push(connection)
      self
    end

    private

    # Only for this class.
    def reset!
      @free.each do |connection|
        connection.close
      end
      @free = []
    end
  end

  class Pool::Entry
    def key; end
  end
end

# Tries three times.
def with_backoff
  Pools::LIMIT.times do
    return true if yield
  end
  false
end

Point = Struct.new(:x, :y) do
  def length
    Math.sqrt(x * x + y * y)
  end
end
