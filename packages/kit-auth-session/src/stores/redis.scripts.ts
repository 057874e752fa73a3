/**
 * The atomic steps. All keys of a user share a hash tag, so that they are on one node of a cluster. KEYS[1] is the
 * index of the user (session ids by expiry), KEYS[2] a session. Scripts name further sessions by what KEYS[1] begins with,
 * because a client may put a prefix of its own before the keys.
 */

const PREFIX = `
local prefix = string.sub(KEYS[1], 1, -1 - string.len('index'))
`;

const END_ONE = `
local function end_session(key, id, by, now)
  local session = redis.call('HMGET', key, 'endedBy', 'expiresAt')
  redis.call('ZREM', KEYS[1], id)
  if session[1] or not session[2] or tonumber(session[2]) <= now then return 0 end
  redis.call('HSET', key, 'endedBy', by)
  return 1
end
`;

const ADD = `
local function add_session(id, now, expires_at, keep_until, first_field)
  redis.call('HSET', KEYS[2], unpack(ARGV, first_field))
  redis.call('PEXPIREAT', KEYS[2], keep_until)
  redis.call('ZADD', KEYS[1], expires_at, id)
  if redis.call('PTTL', KEYS[1]) < keep_until - now then redis.call('PEXPIREAT', KEYS[1], keep_until) end
  return 1
end
`;

/**
 * ARGV: id, now, the time to delete it, max (0 for none), overflow, seenSince, expiresAt, field, value... Returns the
 * ids of the sessions that the limit has ended, or 0 when it refuses the new one.
 */
export const CREATE = `${PREFIX}${END_ONE}${ADD}
local id, now, keep_until = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local max, overflow, seen_since = tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local ended = {}
if max > 0 then
  local live = {}
  for _, other in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local session = redis.call('HMGET', prefix .. other, 'createdAt', 'lastSeenAt')
    if not session[1] then
      redis.call('ZREM', KEYS[1], other)
    elseif tonumber(session[2]) >= seen_since then
      live[#live + 1] = { id = other, created = tonumber(session[1]) }
    end
  end
  local too_many = #live + 1 - max
  if too_many > 0 then
    if overflow == 'refuse' then return 0 end
    table.sort(live, function(a, b) return a.created < b.created or (a.created == b.created and a.id < b.id) end)
    for i = 1, too_many do
      end_session(prefix .. live[i].id, live[i].id, 'replaced', now)
      ended[i] = live[i].id
    end
  end
end
add_session(id, now, ARGV[7], keep_until, 8)
return ended
`;

/** ARGV: id of the former session, id, now, the time to delete it, expiresAt, field, value... */
export const REPLACE = `${PREFIX}${ADD}
local former, id, now = prefix .. ARGV[1], ARGV[2], tonumber(ARGV[3])
local session = redis.call('HMGET', former, 'endedBy', 'expiresAt')
if session[1] or not session[2] or tonumber(session[2]) <= now then return 0 end
redis.call('HSET', former, 'endedBy', 'replaced', 'successorId', id)
redis.call('ZREM', KEYS[1], ARGV[1])
return add_session(id, now, ARGV[5], tonumber(ARGV[4]), 6)
`;

/** ARGV: at */
export const TOUCH = `
local session = redis.call('HMGET', KEYS[2], 'endedBy', 'lastSeenAt')
if session[2] and not session[1] and tonumber(ARGV[1]) > tonumber(session[2]) then
  redis.call('HSET', KEYS[2], 'lastSeenAt', ARGV[1])
end
return 0
`;

/** True if the requesting session is live, and for an empty id. */
const MAY_ASK = `
local function may_ask(id, now)
  if id == '' then return true end
  local session = redis.call('HMGET', prefix .. id, 'endedBy', 'expiresAt')
  return not session[1] and session[2] and tonumber(session[2]) > now
end
`;

/** ARGV: id, by, now, id of the requesting session */
export const END = `${PREFIX}${END_ONE}${MAY_ASK}
local now = tonumber(ARGV[3])
if not may_ask(ARGV[4], now) then return 0 end
local id = ARGV[1]
while end_session(prefix .. id, id, ARGV[2], now) == 0 do
  id = redis.call('HGET', prefix .. id, 'successorId')
  if not id then return 0 end
end
return 1
`;

/** ARGV: by, now, id of the exception, id of the requesting session */
export const END_ALL = `${PREFIX}${END_ONE}${MAY_ASK}
local now = tonumber(ARGV[2])
if not may_ask(ARGV[4], now) then return 0 end
local ended = 0
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if id ~= ARGV[3] then ended = ended + end_session(prefix .. id, id, ARGV[1], now) end
end
return ended
`;

/** ARGV: the time to delete it, field, value... */
export const KEEP_END = `
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[2], unpack(ARGV, 2))
redis.call('PEXPIREAT', KEYS[2], ARGV[1])
return 1
`;

/** Like `KEEP_END`, unless there is an entry. */
export const KEEP_FIRST_END = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
${KEEP_END}`;

/**
 * The same as `mergeEnds`. ARGV: id, user's id, at, by, expiresAt, how long to keep it after that, id of the exception
 * or '', id of the requesting session or '', its createdAt.
 */
export const KEEP_END_OF_ALL = `
local at, expires_at, except = tonumber(ARGV[3]), tonumber(ARGV[5]), ARGV[7]
local kept = redis.call('HMGET', KEYS[2], 'createdAt', 'endedBy', 'expiresAt', 'spared')
local latest, latest_by = tonumber(kept[1] or 0), kept[2] or ''
local spared, spared_at, spared_by = string.match(kept[4] or '', '^(%S+) (%d+) (%S*)$')
spared, spared_at = spared or '', tonumber(spared_at or 0)
if ARGV[8] ~= '' then
  local ended_at = latest
  if ARGV[8] == spared then ended_at = spared_at end
  if tonumber(ARGV[9]) <= ended_at then return 0 end
end
if at > latest then
  if except ~= spared then spared_at, spared_by = latest, latest_by end
  spared = except
  redis.call('HSET', KEYS[2], 'id', ARGV[1], 'userId', ARGV[2], 'createdAt', ARGV[3], 'lastSeenAt', ARGV[3])
  redis.call('HSET', KEYS[2], 'endedBy', ARGV[4])
elseif except ~= spared and at > spared_at then
  spared_at, spared_by = at, ARGV[4]
end
if spared == '' then
  redis.call('HDEL', KEYS[2], 'spared')
else
  redis.call('HSET', KEYS[2], 'spared', string.format('%s %.0f %s', spared, spared_at, spared_by or ''))
end
expires_at = math.max(expires_at, tonumber(kept[3] or 0))
redis.call('HSET', KEYS[2], 'expiresAt', string.format('%.0f', expires_at))
redis.call('PEXPIREAT', KEYS[2], string.format('%.0f', expires_at + tonumber(ARGV[6])))
return 1
`;

/** ARGV: now, field... Returns the fields of each session as HMGET does. */
export const LIST = `${PREFIX}
local sessions = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf')) do
  local session = redis.call('HMGET', prefix .. id, unpack(ARGV, 2))
  if session[1] then sessions[#sessions + 1] = session end
end
return sessions
`;
