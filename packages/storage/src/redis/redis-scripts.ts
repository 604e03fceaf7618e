// Redis runs each script atomically. KEYS[1] is the hash of a namespace. ARGV[1] and ARGV[2] are its sliding and its
// absolute lifetime in milliseconds; empty means none. The field "end" holds the absolute end.

const LIVE = `
local function live()
  local idle, max = tonumber(ARGV[1]), tonumber(ARGV[2])
  if not idle and not max then return end
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local stop = tonumber(redis.call('HGET', KEYS[1], 'end') or nil)
  if max and (not stop or now + max < stop) then
    stop = now + max
    redis.call('HSET', KEYS[1], 'end', string.format('%.0f', stop))
  end
  local at = stop
  if idle and (not stop or now + idle < stop) then at = now + idle end
  redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', at))
end
`;

/** Writes entries, with four arguments each. Returns 1 or 0 for each entry. */
export const PUT: string = `${LIVE}
local written = {}
for at = 3, #ARGV, 4 do
  local key, value, mode = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local done = 0
  if mode == 'absent' then
    done = redis.call('HSETNX', KEYS[1], key, value)
  elseif mode == 'always' or redis.call('HGET', KEYS[1], key) == ARGV[at + 3] then
    redis.call('HSET', KEYS[1], key, value)
    done = 1
  end
  written[#written + 1] = done
end
if redis.call('EXISTS', KEYS[1]) == 1 then live() end
return written`;

/** Adds to entries, with a key and an amount each. Returns the sums. */
export const INCREMENT: string = `${LIVE}
local sums = {}
for at = 3, #ARGV, 2 do
  local old = redis.call('HGET', KEYS[1], ARGV[at])
  if old and not string.match(old, '^-?%d+$') then return redis.error_reply('an entry is not a counter') end
end
for at = 3, #ARGV, 2 do
  sums[#sums + 1] = string.format('%.0f', redis.call('HINCRBY', KEYS[1], ARGV[at], ARGV[at + 1]))
end
if #sums > 0 then live() end
return sums`;

/** Removes entries, and the namespace when only its field "end" is left. */
export const REMOVE: string = `
for at = 1, #ARGV do redis.call('HDEL', KEYS[1], ARGV[at]) end
if redis.call('HLEN', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], 'end') == 1 then redis.call('DEL', KEYS[1]) end`;

/** Returns the rest of the sliding and of the absolute lifetime of a namespace; -1 means none, no value means no namespace. */
export const REMAINING: string = `
local left = redis.call('PTTL', KEYS[1])
if left == -2 then return {} end
local stop = tonumber(redis.call('HGET', KEYS[1], 'end') or nil)
if not stop then return { left, -1 } end
local time = redis.call('TIME')
return { left, math.max(0, stop - time[1] * 1000 - math.floor(time[2] / 1000)) }`;

/** Sets the lifetime of a namespace. Returns 1 when the namespace exists. */
export const TOUCH: string = `${LIVE}
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
live()
return 1`;
