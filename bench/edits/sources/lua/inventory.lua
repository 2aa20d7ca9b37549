local json = require("json")

local MAX_SLOTS = 32

local Inventory = {}
Inventory.__index = Inventory

function Inventory.new(owner)
  local self = setmetatable({}, Inventory)
  self.owner = owner
  self.slots = {}
  return self
end

function Inventory:add(name, count)
  count = count or 1
  for _, slot in ipairs(self.slots) do
    if slot.name == name then
      slot.count = slot.count + count
      return slot
    end
  end
  if #self.slots >= MAX_SLOTS then
    return nil, "inventory of " .. self.owner .. " is full"
  end
  local slot = { name = name, count = count }
  table.insert(self.slots, slot)
  return slot
end

function Inventory:weight(weights)
  local total = 0
  for _, slot in ipairs(self.slots) do
    total = total + slot.count * (weights[slot.name] or 1)
  end
  return total
end

local function load_inventory(path, owner)
  local file = assert(io.open(path, "r"))
  local data = json.decode(file:read("*a"))
  file:close()
  local inventory = Inventory.new(owner or data.owner)
  for name, count in pairs(data.items) do
    inventory:add(name, count)
  end
  return inventory
end

return { Inventory = Inventory, load = load_inventory }
