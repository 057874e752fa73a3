import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { UserId } from 'kit-auth';
import type { EndOfAll, Session, SessionEnd, SessionLimit, SessionStore } from 'kit-auth-session';
import { LIFETIME, NOW, ownerOf, sessionOf } from './session-fixtures.js';
import { describeReplacements } from './session-replacement.suite.js';
import { testRunner } from './test-runner.js';

const LIMIT = { max: 3, overflow: 'end-oldest', seenSince: 0 } as const satisfies SessionLimit;

/** Each test has its own users, so that all tests can share one store. */
let lastUserId = 1000 + Math.trunc(Math.random() * 1_000_000);

/** A copy without members that are undefined: a store may leave them out. */
function defined(value: object | undefined): object | undefined {
  return value && Object.fromEntries(Object.entries(value).filter(([, it]) => (it as unknown) !== undefined));
}

/** What the store can do. */
export interface SessionStoreTraits {
  /** Whether it takes text ids of users. Default true. False for a store of one application whose ids are numbers. */
  textIds?: boolean;
}

/**
 * Defines the tests that every `SessionStore` has to pass, with random sequences of parallel calls.
 *
 * @param storeOf returns the store, ready to use. It is called in tests, not before. The caller closes the store.
 * @example
 * ```ts
 * const store = new MemorySessionStore();
 *
 * describeSessionStore('memory', () => store);
 * ```
 */
export function describeSessionStore(
  name: string,
  storeOf: () => SessionStore,
  { textIds = true }: SessionStoreTraits = {},
): void {
  const { describe, it } = testRunner();

  const idsOf = async (userId: number, now = NOW) =>
    (await storeOf().listOf(userId, now)).map(({ id }) => id);
  const endedBy = async (id: string) => (await storeOf().find(id))?.endedBy;
  const createSeveral = async (userId: number, count: number) => {
    const sessions = Array.from({ length: count }, (_, i) =>
      sessionOf(userId, { createdAt: NOW + i, lastSeenAt: NOW + i }),
    );
    for (const session of sessions) {
      assert.equal(await storeOf().create(session), true);
    }
    return sessions;
  };

  describe(`the session store ${name}`, () => {
    it('finds a session as it was created', async () => {
      const full = sessionOf(++lastUserId);
      const bare = sessionOf(lastUserId, { address: undefined, userAgent: undefined });
      for (const session of [full, bare]) {
        await storeOf().create(session);
        assert.deepEqual(defined(await storeOf().find(session.id)), defined(session));
      }
    });

    it('keeps the proof of a session as it is', async () => {
      const escapes = `{"factors":{},"actor":{"userId":7,"username":"\\u00e9'%s \\"\\\\$1"}}`;
      for (const proof of [escapes, 'x', ' ', '0', '1e3', 'null', 'p'.repeat(1536)]) {
        const session = sessionOf(++lastUserId, { proof });
        await storeOf().create(session, LIMIT);
        assert.equal((await storeOf().find(session.id))?.proof, proof);
        await storeOf().touch(session.id, NOW + 5);
        await storeOf().end(session.id, 'kicked', NOW + 5);
        assert.equal((await storeOf().find(session.id))?.proof, proof);
      }
    });

    it('finds nothing for an unknown id', async () => {
      assert.equal(await storeOf().find(sessionOf(++lastUserId).id), undefined);
    });

    it('ends a session once, and remembers the first reason', async () => {
      const [session] = await createSeveral(++lastUserId, 1);
      const { id } = session as Session;
      assert.equal(await storeOf().end(id, 'logged-out', NOW), true);
      assert.equal(await storeOf().end(id, 'kicked', NOW), false);
      assert.equal(await storeOf().endAllOf(lastUserId, 'kicked', NOW), 0);
      assert.equal(await endedBy(id), 'logged-out');
    });

    it('ends nothing that is unknown or expired', async () => {
      const [session] = await createSeveral(++lastUserId, 1);
      const { id, expiresAt } = session as Session;
      assert.equal(await storeOf().end(sessionOf(lastUserId).id, 'kicked', NOW), false);
      assert.equal(await storeOf().end(id, 'kicked', expiresAt), false);
      assert.equal(await endedBy(id), undefined);
    });

    it('moves lastSeenAt only forward, and never for an ended session', async () => {
      const [session] = await createSeveral(++lastUserId, 1);
      const { id } = session as Session;
      for (const [at, expected] of [
        [NOW + 50, NOW + 50],
        [NOW + 20, NOW + 50],
      ] as const) {
        await storeOf().touch(id, at);
        assert.equal((await storeOf().find(id))?.lastSeenAt, expected);
      }
      await storeOf().end(id, 'kicked', NOW);
      await storeOf().touch(id, NOW + 100);
      const found = await storeOf().find(id);
      assert.deepEqual([found?.endedBy, found?.lastSeenAt], ['kicked', NOW + 50]);
      await storeOf().touch(sessionOf(lastUserId).id, NOW);
      assert.deepEqual(await idsOf(lastUserId), []);
    });

    it('lists the live sessions of one user, oldest first', async () => {
      const others = await createSeveral(++lastUserId, 1);
      const sessions = await createSeveral(++lastUserId, 4);
      await storeOf().end(sessions[1]?.id as string, 'kicked', NOW);
      const live = [sessions[0], sessions[2], sessions[3]].map((session) => session?.id);
      assert.deepEqual(await idsOf(lastUserId), live);
      assert.deepEqual(await idsOf(lastUserId, NOW + LIFETIME + 2), []);
      assert.deepEqual(await idsOf(lastUserId - 1), [others[0]?.id]);
      assert.deepEqual(
        (await storeOf().listOf(lastUserId, NOW)).map(defined),
        [sessions[0], sessions[2], sessions[3]].map(defined),
      );
    });

    it('ends all sessions of a user but one', async () => {
      const sessions = await createSeveral(++lastUserId, 3);
      const kept = sessions[1]?.id as string;
      assert.equal(await storeOf().endAllOf(lastUserId, 'password-changed', NOW, kept), 2);
      assert.deepEqual(await idsOf(lastUserId), [kept]);
      assert.equal(await endedBy(sessions[0]?.id as string), 'password-changed');
      assert.equal(await storeOf().endAllOf(lastUserId, 'kicked', NOW), 1);
    });

    it('ends nothing on behalf of a session that is not live', async () => {
      const [asking, one, other] = await createSeveral(++lastUserId, 3);
      const by = asking?.id as string;
      await storeOf().end(by, 'password-changed', NOW);
      for (const dead of [by, sessionOf(lastUserId).id]) {
        assert.equal(await storeOf().end(one?.id as string, 'logged-out', NOW, dead), false);
        assert.equal(await storeOf().endAllOf(lastUserId, 'logged-out', NOW, dead, dead), 0);
      }
      const expired = sessionOf(lastUserId, { createdAt: NOW - LIFETIME, expiresAt: NOW });
      await storeOf().create(expired);
      assert.equal(await storeOf().endAllOf(lastUserId, 'logged-out', NOW, expired.id, expired.id), 0);
      assert.deepEqual(await idsOf(lastUserId), [one?.id, other?.id]);
      assert.equal(await storeOf().end(other?.id as string, 'logged-out', NOW, one?.id), true);
      assert.equal(await storeOf().end(one?.id as string, 'logged-out', NOW, one?.id), true);
    });

    it('leaves at most one session when all end each other at once', async () => {
      const sessions = await createSeveral(++lastUserId, 5);
      const ended = await Promise.all(
        sessions.map(async ({ id }) => storeOf().endAllOf(lastUserId, 'logged-out', NOW, id, id)),
      );
      const live = await idsOf(lastUserId);
      assert.ok(live.length <= 1);
      assert.equal(
        ended.reduce((sum, count) => sum + count, 0),
        sessions.length - live.length,
      );
    });

    it('does not fail when sessions end each other and new ones replace them, all at once', async () => {
      for (let round = 0; round < 5; round++) {
        const sessions = await createSeveral(++lastUserId, 6);
        const ids = sessions.map(({ id }) => id);
        await Promise.all([
          ...ids.map(async (id) => storeOf().endAllOf(lastUserId, 'logged-out', NOW, id, id)),
          ...ids.map(async (id, i) => storeOf().end(ids[(i + 1) % 6] as string, 'logged-out', NOW, id)),
          ...ids.map(async () => storeOf().create(sessionOf(lastUserId), { ...LIMIT, max: 2 })),
          storeOf().endAllOf(lastUserId, 'kicked', NOW),
        ]);
        for (const id of ids) {
          assert.ok(await endedBy(id));
        }
      }
    });

    it('ends the oldest session when there is one too many', async () => {
      const sessions = await createSeveral(++lastUserId, 3);
      const next = sessionOf(lastUserId, { createdAt: NOW + 10 });
      assert.equal(await storeOf().create(next, LIMIT), true);
      assert.equal(await endedBy(sessions[0]?.id as string), 'replaced');
      assert.deepEqual(await idsOf(lastUserId), [sessions[1]?.id, sessions[2]?.id, next.id]);
    });

    it('applies a limit that is lower than before', async () => {
      await createSeveral(++lastUserId, 6);
      const next = sessionOf(lastUserId, { createdAt: NOW + 10 });
      await storeOf().create(next, { ...LIMIT, max: 1 });
      assert.deepEqual(await idsOf(lastUserId), [next.id]);
    });

    it('refuses a session over the limit if the limit says so', async () => {
      const sessions = await createSeveral(++lastUserId, 3);
      const next = sessionOf(lastUserId);
      assert.equal(await storeOf().create(next, { ...LIMIT, overflow: 'refuse' }), false);
      assert.equal(await storeOf().find(next.id), undefined);
      assert.deepEqual(
        await idsOf(lastUserId),
        sessions.map(({ id }) => id),
      );
      await storeOf().end(sessions[0]?.id as string, 'logged-out', NOW);
      assert.equal(await storeOf().create(next, { ...LIMIT, overflow: 'refuse' }), true);
    });

    it('does not count sessions that are ended, expired or idle', async () => {
      const [ended] = await createSeveral(++lastUserId, 1);
      await storeOf().end(ended?.id as string, 'logged-out', NOW);
      await storeOf().create(sessionOf(lastUserId, { createdAt: NOW - LIFETIME, expiresAt: NOW }));
      await storeOf().create(sessionOf(lastUserId, { lastSeenAt: NOW - 1000 }));
      const next = sessionOf(lastUserId);
      assert.equal(await storeOf().create(next, { max: 1, overflow: 'refuse', seenSince: NOW - 999 }), true);
    });

    it('applies the limit when many log in at once', async () => {
      const userId = ++lastUserId;
      const sessions = Array.from({ length: 20 }, (_, i) => sessionOf(userId, { createdAt: NOW + i }));
      await Promise.all(sessions.map(async (session) => storeOf().create(session, LIMIT)));
      assert.equal((await idsOf(userId)).length, LIMIT.max);
      const refusing = ++lastUserId;
      const outcomes = await Promise.all(
        sessions.map(async (session) =>
          storeOf().create(
            { ...sessionOf(refusing), createdAt: session.createdAt },
            { ...LIMIT, overflow: 'refuse' },
          ),
        ),
      );
      assert.equal(outcomes.filter(Boolean).length, LIMIT.max);
      assert.equal((await idsOf(refusing)).length, LIMIT.max);
    });

    it('creates the first sessions of many users at once', async () => {
      const userIds = Array.from({ length: 20 }, () => ++lastUserId);
      const created = await Promise.all(
        userIds.map(async (userId) => storeOf().create(sessionOf(userId), LIMIT)),
      );
      assert.deepEqual(new Set(created), new Set([true]));
    });

    it('lets one of many parallel calls end a session', async () => {
      const [session] = await createSeveral(++lastUserId, 1);
      const { id } = session as Session;
      const reasons: SessionEnd[] = ['logged-out', 'kicked', 'idle', 'password-changed'];
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, async (_, i) =>
          storeOf().end(id, reasons[i % reasons.length] as SessionEnd, NOW),
        ),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.equal(await endedBy(id), reasons[outcomes.indexOf(true) % reasons.length]);
    });

    it('never revives a session, whatever happens at once', async () => {
      const fc = await fastCheck();
      const step = fc.constantFrom('create', 'create', 'touch', 'end', 'end-all', 'list', 'prune');
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 6 }),
          fc.infiniteStream(fc.nat()),
          async (rounds, picks) => {
            const userId = ++lastUserId;
            const created: string[] = [];
            const over = new Set<string>();
            const pick = () => created[Number(picks.next().value) % Math.max(1, created.length)];
            for (const [round, steps] of rounds.entries()) {
              const now = NOW + round * 1000;
              await Promise.all(
                steps.map(async (what) => {
                  const id = pick();
                  if (what === 'create') {
                    const session = sessionOf(userId, { createdAt: now, lastSeenAt: now });
                    await storeOf().create(session, LIMIT);
                    created.push(session.id);
                  } else if (what === 'end-all') {
                    await storeOf().endAllOf(userId, 'kicked', now);
                  } else if (what === 'list') {
                    await storeOf().listOf(userId, now);
                  } else if (what === 'prune') {
                    await storeOf().prune(now);
                  } else if (id !== undefined) {
                    await (what === 'touch'
                      ? storeOf().touch(id, now)
                      : storeOf().end(id, 'logged-out', now));
                  }
                }),
              );
              const live = new Set(await idsOf(userId, now));
              assert.ok(live.size <= LIMIT.max);
              for (const id of created) {
                const isOver = (await endedBy(id)) !== undefined;
                assert.equal(live.has(id), !isOver);
                assert.ok(isOver || !over.has(id), 'an ended session is live again');
                if (isOver) {
                  over.add(id);
                }
              }
            }
          },
        ),
        { numRuns: 25 },
      );
    });

    it('stores the end of an unknown session, and updates it', async () => {
      const end = { ...sessionOf(++lastUserId), endedBy: 'logged-out' } as const;
      await storeOf().keepEnd(end);
      assert.deepEqual(defined(await storeOf().find(end.id)), defined(end));
      const later = { ...end, createdAt: NOW + 5, endedBy: 'kicked', address: undefined } as const;
      await storeOf().keepEnd(later);
      assert.deepEqual(defined(await storeOf().find(end.id)), defined(later));
      assert.deepEqual(await idsOf(lastUserId), []);
      assert.equal(
        await storeOf().create(sessionOf(lastUserId), { ...LIMIT, max: 1, overflow: 'refuse' }),
        true,
      );
    });

    describeEndsOfAll(storeOf);
    describeReplacements(storeOf);
    if (textIds) {
      describeTextIds(storeOf);
    }

    it('removes sessions that ended long ago, and no others', async () => {
      const long = 3 * 24 * 60 * 60_000;
      const old = sessionOf(++lastUserId, {
        createdAt: NOW - long - LIFETIME,
        lastSeenAt: NOW - long,
        expiresAt: NOW - long,
      });
      const expired = sessionOf(lastUserId, { createdAt: NOW - LIFETIME, expiresAt: NOW - 1000 });
      const live = sessionOf(lastUserId);
      for (const session of [old, expired, live]) {
        await storeOf().create(session);
      }
      while ((await storeOf().prune(NOW)) > 0);
      assert.equal(await storeOf().find(old.id), undefined);
      assert.equal((await storeOf().find(expired.id))?.id, expired.id);
      assert.equal((await storeOf().find(live.id))?.id, live.id);
    });
  });
}

/** Sessions of users whose ids are texts: uuids, cuids, ObjectIds, and whatever else an application has. */
function describeTextIds(storeOf: () => SessionStore): void {
  const { it } = testRunner();
  /** Unique, so that all tests can share one store. */
  const unique = () => createHash('sha256').update(randomBytes(16)).digest('hex').slice(0, 24);
  const idsOf = async (userId: UserId) => (await storeOf().listOf(userId, NOW)).map(({ id }) => id);

  it('keeps text ids as they are', async () => {
    const texts = [unique(), `${++lastUserId}`, `"'%_{*}[?]:~\\${unique()}`, unique().padEnd(128, '~')];
    for (const text of texts) {
      const userId = text as unknown as UserId;
      const session = sessionOf(userId);
      assert.equal(await storeOf().create(session, LIMIT), true);
      assert.deepEqual(defined(await storeOf().find(session.id)), defined(session));
      assert.deepEqual((await storeOf().listOf(userId, NOW)).map(defined), [defined(session)]);
      await storeOf().keepEnd({ ...session, id: sessionOf(userId).id, endedBy: 'logged-out' });
      assert.equal(await storeOf().endAllOf(userId, 'kicked', NOW), 1);
      assert.equal((await storeOf().find(session.id))?.endedBy, 'kicked');
      assert.deepEqual(await idsOf(userId), []);
    }
  });

  it('keeps users apart whose ids differ in case, or in type', async () => {
    const number = ++lastUserId;
    const text = `${unique()}-aB`;
    const userIds = [number, `${number}`, text, text.toUpperCase(), text.toLowerCase()] as UserId[];
    const sessions = userIds.map((userId) => sessionOf(userId));
    for (const session of sessions) {
      await storeOf().create(session, { ...LIMIT, max: 1, overflow: 'refuse' });
    }
    for (const [i, userId] of userIds.entries()) {
      assert.deepEqual(await idsOf(userId), [sessions[i]?.id]);
    }
    assert.equal(await storeOf().endAllOf(text as unknown as UserId, 'kicked', NOW), 1);
    const live = await Promise.all(userIds.map(idsOf));
    assert.deepEqual(
      live.map(({ length }) => length),
      [1, 1, 0, 1, 1],
    );
  });

  it('applies the limit when many log in at once with one text id', async () => {
    const userId = unique() as unknown as UserId;
    const sessions = Array.from({ length: 10 }, (_, i) => sessionOf(userId, { createdAt: NOW + i }));
    await Promise.all(sessions.map(async (session) => storeOf().create(session, LIMIT)));
    assert.equal((await idsOf(userId)).length, LIMIT.max);
  });

  it('stores an end of all sessions of a text id', async () => {
    const userId = unique() as unknown as UserId;
    const id = `${ownerOf(userId)}.all`;
    const end = { id, userId, at: NOW, by: 'kicked', expiresAt: NOW + LIFETIME } as const;
    if (storeOf().keepEndOfAll !== undefined) {
      await storeOf().keepEndOfAll?.(end);
      assert.equal((await storeOf().find(id))?.userId, userId);
    }
  });
}

/** The records of ends of all sessions of a user. A model that remembers every end checks them. */
function describeEndsOfAll(storeOf: () => SessionStore): void {
  const { it } = testRunner();

  const endOfAll = (userId: number, at: number, more: Partial<EndOfAll> = {}): EndOfAll => ({
    ...{ id: `${userId.toString(36)}.all`, userId, at: NOW + at, by: 'kicked' },
    expiresAt: NOW + at + LIFETIME,
    ...more,
  });
  const keep = async (end: EndOfAll) => storeOf().keepEndOfAll?.(end);
  /** Sessions that were created until this time are over, for this reason. */
  const endFor = async (userId: number, sessionId: string) => {
    const kept = await storeOf().find(`${userId.toString(36)}.all`);
    const { endedAt = 0, endedBy } =
      kept?.spared?.id === sessionId ? kept.spared : { endedAt: kept?.createdAt, endedBy: kept?.endedBy };
    return [endedAt, endedBy];
  };
  /** A store that does not support `mode: 'stateless'` has no such records. */
  const isAbsent = () => storeOf().keepEndOfAll === undefined;

  it('stores an end of all sessions of a user, which spares one', async () => {
    if (isAbsent()) {
      return;
    }
    const userId = ++lastUserId;
    await keep(endOfAll(userId, 5));
    assert.deepEqual(defined(await storeOf().find(endOfAll(userId, 5).id)), {
      ...{ id: endOfAll(userId, 5).id, userId, createdAt: NOW + 5, lastSeenAt: NOW + 5 },
      ...{ expiresAt: NOW + 5 + LIFETIME, endedBy: 'kicked' },
    });
    await keep(endOfAll(userId, 9, { exceptId: 'a', by: 'logged-out' }));
    assert.deepEqual(await endFor(userId, 'a'), [NOW + 5, 'kicked']);
    assert.deepEqual(await endFor(userId, 'b'), [NOW + 9, 'logged-out']);
    assert.deepEqual(await storeOf().listOf(userId, NOW), []);
    const other = ++lastUserId;
    await keep(endOfAll(other, 5, { exceptId: 'a' }));
    assert.deepEqual(await endFor(other, 'a'), [0, undefined]);
  });

  it('stores it as long as the longest session lives', async () => {
    if (isAbsent()) {
      return;
    }
    const userId = ++lastUserId;
    for (const [at, life] of [
      [1, 10],
      [2, 1],
      [0, 20],
    ] as const) {
      await keep(endOfAll(userId, at, { expiresAt: NOW + at + life * LIFETIME }));
    }
    assert.equal((await storeOf().find(endOfAll(userId, 0).id))?.expiresAt, NOW + 20 * LIFETIME);
  });

  it('ends nothing on behalf of a session that such an end did not spare', async () => {
    if (isAbsent()) {
      return;
    }
    const userId = ++lastUserId;
    const asking = { id: 'thief', createdAt: NOW };
    await keep(endOfAll(userId, 1, { exceptId: asking.id, onBehalfOf: asking }));
    assert.deepEqual(await endFor(userId, 'owner'), [NOW + 1, 'kicked']);
    await keep(endOfAll(userId, 2, { exceptId: 'owner', by: 'password-changed' }));
    await keep(endOfAll(userId, 3, { exceptId: asking.id, onBehalfOf: asking, by: 'logged-out' }));
    assert.deepEqual(await endFor(userId, asking.id), [NOW + 2, 'password-changed']);
    assert.deepEqual(await endFor(userId, 'owner'), [NOW + 1, 'kicked']);
    const later = { id: 'later', createdAt: NOW + 3 };
    await keep(endOfAll(userId, 4, { exceptId: later.id, onBehalfOf: later, by: 'logged-out' }));
    assert.deepEqual(await endFor(userId, 'owner'), [NOW + 4, 'logged-out']);
    assert.deepEqual(await endFor(userId, later.id), [NOW + 2, 'password-changed']);
  });

  it('tells for every session whether an end spared it, in any order of ends', async () => {
    if (isAbsent()) {
      return;
    }
    const sessionIds = ['a', 'b', 'c'] as const;
    const fc = await fastCheck();
    const end = fc.record({
      at: fc.integer({ min: 1, max: 12 }),
      by: fc.constantFrom<SessionEnd>('kicked', 'logged-out', 'password-changed'),
      exceptId: fc.constantFrom(undefined, undefined, ...sessionIds),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(end, { minLength: 1, maxLength: 5 }), { maxLength: 5 }),
        async (rounds) => {
          const userId = ++lastUserId;
          const ends: EndOfAll[] = [];
          for (const round of rounds) {
            const atOnce = round.map(({ at, by, exceptId }) => endOfAll(userId, at, { by, exceptId }));
            await Promise.all(atOnce.map(keep));
            ends.push(...atOnce);
            for (const id of [...sessionIds, 'another']) {
              const notSparing = ends.filter(({ exceptId }) => exceptId !== id);
              const endedAt = Math.max(0, ...notSparing.map(({ at }) => at));
              const [at, by] = await endFor(userId, id);
              assert.equal(at, endedAt);
              assert.ok(endedAt === 0 || notSparing.some((it) => it.at === endedAt && it.by === by));
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });
}

/** Loaded by the tests that use it: most users of this package run no suite of stores. */
async function fastCheck() {
  return (await import('fast-check')).default;
}
