--- A sample: what each kind of definition becomes.

local Store = require("store")
local log = require "log"

--- How many connections there may be.
local LIMIT = 3

VERSION = "1.0"

--- A pool of connections.
-- Hands out the oldest one first.
local Pool = {}
Pool.__index = Pool

Pool.states = { free = 1, busy = 2 }

--- Makes a pool.
-- @param free what to begin with
function Pool.new(free)
  local self = setmetatable({}, Pool)
  self.free = free or {}
  return self
end

-- Takes a connection out of the pool.
function Pool:take(wait)
  local connection = table.remove(self.free)
  local report = function(text)
    log.info(text)
  end
  report(tostring(wait))
  return connection
end

function Pool:size() return #self.free end

--[[
  Gives it back.
]]
Pool.give_back = function(self, connection)
  table.insert(self.free, connection)
  self:trim()
  assert(#self.free <= LIMIT)
end

local function tiny() end

--- Tries three times.
local with_backoff = function(send)
  for _ = 1, LIMIT do
    if send() then
      return true
    end
  end
  return false
end

local handlers = {
  open = function(event)
    print(event.name)
  end,
  -- What happens at the end.
  close = function(event)
    local name = event.name
    print(name)
    Store.flush(name)
  end,
}

function helpers.string.trim(text)
  return text:match("^%s*(.-)%s*$")
end

return Pool
