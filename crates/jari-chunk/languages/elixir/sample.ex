defmodule Net.Pool do
  @moduledoc """
  A pool of connections.

  Hands out the oldest one first.
  """

  use GenServer
  alias Net.Connection
  import Enum, only: [map: 2]
  require Logger

  @limit 3
  @type t :: %__MODULE__{free: [Connection.t()], busy: map()}

  defstruct free: [], busy: %{}

  @doc """
  Takes a connection out of the pool.

  `:error` if there is none.
  """
  @spec take(t()) :: {:ok, Connection.t(), t()} | :error
  def take(%__MODULE__{free: []}), do: :error

  def take(%__MODULE__{free: [taken | rest]} = pool) do
    Logger.debug("taken #{taken.id}")
    busy = Map.put(pool.busy, taken.id, taken)
    {:ok, taken, %{pool | free: rest, busy: busy}}
  end

  @doc "How many are free."
  def size(pool), do: length(pool.free)

  # Gives it back.
  @impl true
  def give_back(pool, connection) when is_map(connection) do
    pool.busy
    |> Map.delete(connection.id)
    |> check(@limit)
    |> then(&%{pool | free: [connection | pool.free], busy: &1})
  end

  defp check(busy, limit) do
    if map_size(busy) > limit do
      raise ArgumentError, "too many"
    end

    busy
  end

  defguard is_small(pool) when length(pool) < 3

  @doc false
  defmacro with_pool(name, do: block) do
    quote do
      var!(unquote(name)) = Net.Pool.new()
      unquote(block)
    end
  end

  defdelegate names(pool), to: Net.Names

  defmodule Retry do
    def with_backoff(send, times \\ 3)
    def with_backoff(_send, 0), do: false

    def with_backoff(send, times) do
      case send.() do
        true -> true
        false -> with_backoff(send, times - 1)
      end
    end
  end
end

defprotocol Net.Numbered do
  @doc "The number."
  def number(value)
end

defimpl Net.Numbered, for: Net.Pool do
  def number(pool) do
    pool
    |> Net.Pool.size()
    |> Kernel.+(1)
  end
end
