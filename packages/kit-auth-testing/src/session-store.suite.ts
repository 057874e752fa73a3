import { createHash, randomBytes } from 'node:crypto';
import type { UserId } from 'kit-auth';
import type { EndOfAll, Session, SessionEnd, SessionLimit, SessionStore } from 'kit-auth-session';
import { assertSame, assertThat, shown } from './assertions.js';
import { LIFETIME, NOW, ownerOf, sessionOf } from './session-fixtures.js';
import { describeReplacements } from './session-replacement.suite.js';
import { testRunner } from './test-runner.js';

const LIMIT = { max: 3, overflow: 'end-oldest', seenSince: 0 } as const satisfies SessionLimit;

/** Each test has its own users, so that all tests can share one store. */
let lastUserId = 1000 + Math.trunc(Math.random() * 1_000_000);

/** The capabilities of the store. */
export interface SessionStoreTraits {
  /** Whether it accepts string ids of users. Default true. False for a store of an application with numeric ids. */
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
      assertSame(await storeOf().create(session), true, 'the result of create() without a limit');
    }
    return sessions;
  };

  describe(`the session store ${name}`, () => {
    it('finds a session as it was created', async () => {
      const full = sessionOf(++lastUserId);
      const bare = sessionOf(lastUserId, { address: undefined, userAgent: undefined });
      for (const session of [full, bare]) {
        await storeOf().create(session);
        assertSame(await storeOf().find(session.id), session, 'what find() returns for a new session');
      }
    });

    it('keeps the proof of a session as it is', async () => {
      const escapes = `{"factors":{},"actor":{"userId":7,"username":"\\u00e9'%s \\"\\\\$1"}}`;
      for (const proof of [escapes, 'x', ' ', '0', '1e3', 'null', 'p'.repeat(1536)]) {
        const session = sessionOf(++lastUserId, { proof });
        await storeOf().create(session, LIMIT);
        assertSame((await storeOf().find(session.id))?.proof, proof, 'the proof of a new session');
        await storeOf().touch(session.id, NOW + 5);
        await storeOf().end(session.id, 'kicked', NOW + 5);
        const found = await storeOf().find(session.id);
        assertSame(found?.proof, proof, 'the proof of a session after touch() and end()');
      }
    });

    it('finds nothing for an unknown id', async () => {
      const found = await storeOf().find(sessionOf(++lastUserId).id);
      assertSame(found, undefined, 'what find() returns for an unknown id');
    });

    it('ends a session once, and remembers the first reason', async () => {
      const [session] = await createSeveral(++lastUserId, 1);
      const { id } = session as Session;
      assertSame(await storeOf().end(id, 'logged-out', NOW), true, 'the result of end() for a live session');
      assertSame(await storeOf().end(id, 'kicked', NOW), false, 'the result of end() for an ended session');
      const count = await storeOf().endAllOf(lastUserId, 'kicked', NOW);
      assertSame(count, 0, 'the result of endAllOf() with an ended session only');
      assertSame(
        await endedBy(id),
        'logged-out',
        'endedBy of a session that was ended again, with another reason,',
      );
    });

    it('ends nothing that is unknown or expired', async () => {
      const [session] = await createSeveral(++lastUserId, 1);
      const { id, expiresAt } = session as Session;
      const ofUnknown = await storeOf().end(sessionOf(lastUserId).id, 'kicked', NOW);
      assertSame(ofUnknown, false, 'the result of end() for an unknown id');
      const ofExpired = await storeOf().end(id, 'kicked', expiresAt);
      assertSame(
        ofExpired,
        false,
        'the result of end() at the time of expiresAt, when the session has expired,',
      );
      assertSame(await endedBy(id), undefined, 'endedBy of a session that has expired by itself');
    });

    it('moves lastSeenAt only forward, and never for an ended session', async () => {
      const [session] = await createSeveral(++lastUserId, 1);
      const { id } = session as Session;
      for (const [at, expected] of [
        [NOW + 50, NOW + 50],
        [NOW + 20, NOW + 50],
      ] as const) {
        await storeOf().touch(id, at);
        const found = await storeOf().find(id);
        assertSame(found?.lastSeenAt, expected, 'lastSeenAt after touch(), which moves it forward only,');
      }
      await storeOf().end(id, 'kicked', NOW);
      await storeOf().touch(id, NOW + 100);
      const found = await storeOf().find(id);
      const seen = { endedBy: found?.endedBy, lastSeenAt: found?.lastSeenAt };
      const unchanged = { endedBy: 'kicked', lastSeenAt: NOW + 50 };
      assertSame(seen, unchanged, 'an ended session after touch(), which does not change it,');
      await storeOf().touch(sessionOf(lastUserId).id, NOW);
      assertSame(
        await idsOf(lastUserId),
        [],
        'the ids that listOf() returns after touch() of an unknown session',
      );
    });

    it('lists the live sessions of one user, oldest first', async () => {
      const others = await createSeveral(++lastUserId, 1);
      const sessions = await createSeveral(++lastUserId, 4);
      await storeOf().end(sessions[1]?.id as string, 'kicked', NOW);
      const live = [sessions[0], sessions[2], sessions[3]] as Session[];
      const ids = live.map(({ id }) => id);
      assertSame(
        await idsOf(lastUserId),
        ids,
        'the ids of the live sessions that listOf() returns, oldest first,',
      );
      const expired = await idsOf(lastUserId, NOW + LIFETIME + 2);
      assertSame(expired, [], 'the ids that listOf() returns when all sessions have expired');
      assertSame(
        await idsOf(lastUserId - 1),
        [others[0]?.id],
        'the ids that listOf() returns for another user',
      );
      assertSame(await storeOf().listOf(lastUserId, NOW), live, 'the sessions that listOf() returns');
    });

    it('ends all sessions of a user but one', async () => {
      const sessions = await createSeveral(++lastUserId, 3);
      const kept = sessions[1]?.id as string;
      const count = await storeOf().endAllOf(lastUserId, 'password-changed', NOW, kept);
      assertSame(count, 2, 'the result of endAllOf() but one, with three live sessions,');
      assertSame(await idsOf(lastUserId), [kept], 'the ids that listOf() returns after endAllOf() but one');
      const reason = await endedBy(sessions[0]?.id as string);
      assertSame(reason, 'password-changed', 'endedBy of a session that endAllOf() has ended');
      const last = await storeOf().endAllOf(lastUserId, 'kicked', NOW);
      assertSame(last, 1, 'the result of endAllOf() with one live session');
    });

    it('ends nothing on behalf of a session that is not live', async () => {
      const [asking, one, other] = await createSeveral(++lastUserId, 3);
      const by = asking?.id as string;
      await storeOf().end(by, 'password-changed', NOW);
      for (const dead of [by, sessionOf(lastUserId).id]) {
        const isEnded = await storeOf().end(one?.id as string, 'logged-out', NOW, dead);
        assertSame(isEnded, false, 'the result of end() on behalf of a session that is not live');
        const count = await storeOf().endAllOf(lastUserId, 'logged-out', NOW, dead, dead);
        assertSame(count, 0, 'the result of endAllOf() on behalf of a session that is not live');
      }
      const expired = sessionOf(lastUserId, { createdAt: NOW - LIFETIME, expiresAt: NOW });
      await storeOf().create(expired);
      const count = await storeOf().endAllOf(lastUserId, 'logged-out', NOW, expired.id, expired.id);
      assertSame(count, 0, 'the result of endAllOf() on behalf of a session that has expired');
      const live = await idsOf(lastUserId);
      assertSame(
        live,
        [one?.id, other?.id],
        'the ids that listOf() returns after ends on behalf of dead sessions',
      );
      const ofOther = await storeOf().end(other?.id as string, 'logged-out', NOW, one?.id);
      assertSame(ofOther, true, 'the result of end() on behalf of a live session');
      const ofItself = await storeOf().end(one?.id as string, 'logged-out', NOW, one?.id);
      assertSame(ofItself, true, 'the result of end() on behalf of the session itself');
    });

    it('leaves at most one session when all end each other at once', async () => {
      const sessions = await createSeveral(++lastUserId, 5);
      const ended = await Promise.all(
        sessions.map(async ({ id }) => storeOf().endAllOf(lastUserId, 'logged-out', NOW, id, id)),
      );
      const live = await idsOf(lastUserId);
      assertThat(
        live.length <= 1,
        `expected at most one live session after each of five has ended all others at once, but there are ${live.length}`,
      );
      const sum = ended.reduce((before, count) => before + count, 0);
      const over = sessions.length - live.length;
      assertSame(
        sum,
        over,
        'the sum of the results of endAllOf(), each of which counts what it has ended itself,',
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
          assertThat(
            (await endedBy(id)) !== undefined,
            'expected endAllOf() to end every session, with other ends at the same time, but one is live',
          );
        }
      }
    });

    it('ends the oldest session when there is one too many', async () => {
      const sessions = await createSeveral(++lastUserId, 3);
      const next = sessionOf(lastUserId, { createdAt: NOW + 10 });
      const isCreated = await storeOf().create(next, LIMIT);
      assertSame(isCreated, true, "the result of create() over the limit, with overflow 'end-oldest',");
      const reason = await endedBy(sessions[0]?.id as string);
      assertSame(reason, 'replaced', 'endedBy of the oldest session when there is one too many');
      const ids = [sessions[1]?.id, sessions[2]?.id, next.id];
      assertSame(await idsOf(lastUserId), ids, 'the ids that listOf() returns after create() over the limit');
    });

    it('applies a limit that is lower than before', async () => {
      await createSeveral(++lastUserId, 6);
      const next = sessionOf(lastUserId, { createdAt: NOW + 10 });
      await storeOf().create(next, { ...LIMIT, max: 1 });
      assertSame(
        await idsOf(lastUserId),
        [next.id],
        'the ids that listOf() returns after create() with max: 1',
      );
    });

    it('refuses a session over the limit if the limit says so', async () => {
      const sessions = await createSeveral(++lastUserId, 3);
      const next = sessionOf(lastUserId);
      const refused = await storeOf().create(next, { ...LIMIT, overflow: 'refuse' });
      assertSame(refused, false, "the result of create() over the limit, with overflow 'refuse',");
      assertSame(
        await storeOf().find(next.id),
        undefined,
        'what find() returns for a session that was refused',
      );
      assertSame(
        await idsOf(lastUserId),
        sessions.map(({ id }) => id),
        'the ids that listOf() returns after a session was refused',
      );
      await storeOf().end(sessions[0]?.id as string, 'logged-out', NOW);
      const isCreated = await storeOf().create(next, { ...LIMIT, overflow: 'refuse' });
      assertSame(isCreated, true, 'the result of create() after one of the sessions has ended');
    });

    it('does not count sessions that are ended, expired or idle', async () => {
      const [ended] = await createSeveral(++lastUserId, 1);
      await storeOf().end(ended?.id as string, 'logged-out', NOW);
      await storeOf().create(sessionOf(lastUserId, { createdAt: NOW - LIFETIME, expiresAt: NOW }));
      await storeOf().create(sessionOf(lastUserId, { lastSeenAt: NOW - 1000 }));
      const next = sessionOf(lastUserId);
      const isCreated = await storeOf().create(next, { max: 1, overflow: 'refuse', seenSince: NOW - 999 });
      assertSame(
        isCreated,
        true,
        'the result of create() with max: 1, where others are ended, expired or idle,',
      );
    });

    it('applies the limit when many log in at once', async () => {
      const userId = ++lastUserId;
      const sessions = Array.from({ length: 20 }, (_, i) => sessionOf(userId, { createdAt: NOW + i }));
      await Promise.all(sessions.map(async (session) => storeOf().create(session, LIMIT)));
      const most = `with max: ${LIMIT.max} and twenty calls of create() at once`;
      assertSame((await idsOf(userId)).length, LIMIT.max, `the number of live sessions ${most}`);
      const refusing = ++lastUserId;
      const outcomes = await Promise.all(
        sessions.map(async (session) =>
          storeOf().create(
            { ...sessionOf(refusing), createdAt: session.createdAt },
            { ...LIMIT, overflow: 'refuse' },
          ),
        ),
      );
      const created = outcomes.filter(Boolean).length;
      assertSame(created, LIMIT.max, `the number of calls that return true, with overflow 'refuse', ${most}`);
      const live = (await idsOf(refusing)).length;
      assertSame(live, LIMIT.max, `the number of live sessions, with overflow 'refuse', ${most}`);
    });

    it('creates the first sessions of many users at once', async () => {
      const userIds = Array.from({ length: 20 }, () => ++lastUserId);
      const created = await Promise.all(
        userIds.map(async (userId) => storeOf().create(sessionOf(userId), LIMIT)),
      );
      const refused = created.filter((session) => !session).length;
      assertSame(refused, 0, 'the number of users whose first create() returns false, of twenty at once,');
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
      const count = outcomes.filter(Boolean).length;
      assertSame(count, 1, 'the number of calls that return true, of twelve calls of end() at once,');
      const reason = reasons[outcomes.indexOf(true) % reasons.length];
      assertSame(
        await endedBy(id),
        reason,
        'endedBy, which is the reason of the call of end() that returned true,',
      );
    });

    it('never revives a session, whatever happens at once', async () => {
      const fc = await fastCheck();
      // Four in nine, so that a store without limits is found.
      const creates = ['create', 'create', 'create', 'create'] as const;
      const step = fc.constantFrom(...creates, 'touch', 'end', 'end-all', 'list', 'prune');
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
              assertThat(
                live.size <= LIMIT.max,
                `expected at most ${LIMIT.max} live sessions, as the limit says, but there are ${live.size}`,
              );
              for (const id of created) {
                const isOver = (await endedBy(id)) !== undefined;
                assertThat(
                  live.has(id) !== isOver,
                  `expected listOf() to return the live sessions only, but it ${isOver ? 'has one that is over' : 'lacks one'}`,
                );
                assertThat(
                  isOver || !over.has(id),
                  'expected an ended session to stay ended, but it is live again after parallel calls',
                );
                if (isOver) {
                  over.add(id);
                }
              }
            }
          },
        ),
        { numRuns: 25, includeErrorInReport: true },
      );
    });

    it('stores the end of an unknown session, and updates it', async () => {
      const end = { ...sessionOf(++lastUserId), endedBy: 'logged-out' } as const;
      await storeOf().keepEnd(end);
      assertSame(await storeOf().find(end.id), end, 'what find() returns after keepEnd()');
      const later = { ...end, createdAt: NOW + 5, endedBy: 'kicked', address: undefined } as const;
      await storeOf().keepEnd(later);
      assertSame(
        await storeOf().find(end.id),
        later,
        'what find() returns after a second keepEnd() with this id',
      );
      assertSame(await idsOf(lastUserId), [], 'the ids that listOf() returns, which leaves out ends,');
      const limit = { ...LIMIT, max: 1, overflow: 'refuse' } as const;
      const isCreated = await storeOf().create(sessionOf(lastUserId), limit);
      assertSame(isCreated, true, 'the result of create() with max: 1, which does not count ends,');
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
      const removed = await storeOf().find(old.id);
      assertSame(
        removed,
        undefined,
        'what find() returns for a session that expired three days ago, after prune()',
      );
      const kept = await storeOf().find(expired.id);
      assertSame(
        kept?.id,
        expired.id,
        'the id that find() returns for a session that expired a second ago, after prune()',
      );
      assertSame(
        (await storeOf().find(live.id))?.id,
        live.id,
        'the id that find() returns for a live session, after prune()',
      );
    });
  });
}

/** Sessions of users with string ids: uuids, cuids, ObjectIds and any others. */
function describeTextIds(storeOf: () => SessionStore): void {
  const { it } = testRunner();
  /** Unique, so that all tests can share one store. */
  const unique = () => createHash('sha256').update(randomBytes(16)).digest('hex').slice(0, 24);
  const idsOf = async (userId: UserId) => (await storeOf().listOf(userId, NOW)).map(({ id }) => id);

  it('keeps string ids as they are', async () => {
    const texts = [unique(), `${++lastUserId}`, `"'%_{*}[?]:~\\${unique()}`, unique().padEnd(128, '~')];
    for (const text of texts) {
      const userId = text as unknown as UserId;
      const session = sessionOf(userId);
      const of = `for a user with the string id ${JSON.stringify(text)}`;
      assertSame(await storeOf().create(session, LIMIT), true, `the result of create() ${of}`);
      assertSame(await storeOf().find(session.id), session, `what find() returns ${of}`);
      assertSame(await storeOf().listOf(userId, NOW), [session], `what listOf() returns ${of}`);
      await storeOf().keepEnd({ ...session, id: sessionOf(userId).id, endedBy: 'logged-out' });
      assertSame(await storeOf().endAllOf(userId, 'kicked', NOW), 1, `the result of endAllOf() ${of}`);
      assertSame((await storeOf().find(session.id))?.endedBy, 'kicked', `endedBy after endAllOf() ${of}`);
      assertSame(await idsOf(userId), [], `the ids that listOf() returns after endAllOf() ${of}`);
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
      const others = 'where the ids of other users differ in case or type only,';
      assertSame(await idsOf(userId), [sessions[i]?.id], `the ids that listOf() returns ${others}`);
    }
    const count = await storeOf().endAllOf(text as unknown as UserId, 'kicked', NOW);
    assertSame(count, 1, 'the result of endAllOf() for one of the users');
    const live = await Promise.all(userIds.map(idsOf));
    assertSame(
      live.map(({ length }) => length),
      [1, 1, 0, 1, 1],
      'the numbers of live sessions of these users after endAllOf() for one of them',
    );
  });

  it('applies the limit when many log in at once with one string id', async () => {
    const userId = unique() as unknown as UserId;
    const sessions = Array.from({ length: 10 }, (_, i) => sessionOf(userId, { createdAt: NOW + i }));
    await Promise.all(sessions.map(async (session) => storeOf().create(session, LIMIT)));
    const live = (await idsOf(userId)).length;
    assertSame(
      live,
      LIMIT.max,
      `the number of live sessions of a string id after ten calls of create() at once`,
    );
  });

  it('stores an end of all sessions of a string id', async () => {
    const userId = unique() as unknown as UserId;
    const id = `${ownerOf(userId)}.all`;
    const end = { id, userId, at: NOW, by: 'kicked', expiresAt: NOW + LIFETIME } as const;
    if (storeOf().keepEndOfAll !== undefined) {
      await storeOf().keepEndOfAll?.(end);
      assertSame(
        (await storeOf().find(id))?.userId,
        userId,
        'the userId that find() returns after keepEndOfAll()',
      );
    }
  });
}

/** Tests the recorded ends of all sessions of a user, against a model that remembers every end. */
function describeEndsOfAll(storeOf: () => SessionStore): void {
  const { it } = testRunner();

  const endOfAll = (userId: number, at: number, more: Partial<EndOfAll> = {}): EndOfAll => ({
    id: `${userId.toString(36)}.all`,
    userId,
    at: NOW + at,
    by: 'kicked',
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
  const until = (who: string) => `until when and why ${who} has ended, as find() says,`;
  /** A store that does not support `mode: 'stateless'` has no such records. */
  const isAbsent = () => storeOf().keepEndOfAll === undefined;

  it('stores an end of all sessions of a user, which spares one', async () => {
    if (isAbsent()) {
      return;
    }
    const userId = ++lastUserId;
    await keep(endOfAll(userId, 5));
    const { id } = endOfAll(userId, 5);
    const times = { createdAt: NOW + 5, lastSeenAt: NOW + 5, expiresAt: NOW + 5 + LIFETIME };
    const entry = { id, userId, ...times, endedBy: 'kicked' };
    assertSame(await storeOf().find(id), entry, 'what find() returns after keepEndOfAll()');
    await keep(endOfAll(userId, 9, { exceptId: 'a', by: 'logged-out' }));
    assertSame(await endFor(userId, 'a'), [NOW + 5, 'kicked'], until('a session that the second end spared'));
    assertSame(await endFor(userId, 'b'), [NOW + 9, 'logged-out'], until('a session that no end spared'));
    assertSame(await storeOf().listOf(userId, NOW), [], 'what listOf() returns, which leaves out ends,');
    const other = ++lastUserId;
    await keep(endOfAll(other, 5, { exceptId: 'a' }));
    assertSame(await endFor(other, 'a'), [0, undefined], until('a session that every end spared'));
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
    const { expiresAt } = (await storeOf().find(endOfAll(userId, 0).id)) ?? {};
    assertSame(
      expiresAt,
      NOW + 20 * LIFETIME,
      'expiresAt after several calls of keepEndOfAll(), the latest of them,',
    );
  });

  it('ends nothing on behalf of a session that such an end did not spare', async () => {
    if (isAbsent()) {
      return;
    }
    const userId = ++lastUserId;
    const asking = { id: 'thief', createdAt: NOW };
    await keep(endOfAll(userId, 1, { exceptId: asking.id, onBehalfOf: asking }));
    assertSame(await endFor(userId, 'owner'), [NOW + 1, 'kicked'], until('a session that no end spared'));
    await keep(endOfAll(userId, 2, { exceptId: 'owner', by: 'password-changed' }));
    await keep(endOfAll(userId, 3, { exceptId: asking.id, onBehalfOf: asking, by: 'logged-out' }));
    const byOther = [NOW + 2, 'password-changed'];
    assertSame(await endFor(userId, asking.id), byOther, until('a session that another has ended'));
    const noEffect = 'after an end on behalf of a session that is over, which has no effect,';
    assertSame(await endFor(userId, 'owner'), [NOW + 1, 'kicked'], until(`a session ${noEffect}`));
    const later = { id: 'later', createdAt: NOW + 3 };
    await keep(endOfAll(userId, 4, { exceptId: later.id, onBehalfOf: later, by: 'logged-out' }));
    assertSame(
      await endFor(userId, 'owner'),
      [NOW + 4, 'logged-out'],
      until('a session after an end by a later one'),
    );
    assertSame(
      await endFor(userId, later.id),
      byOther,
      until('the later session, which the last end spared,'),
    );
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
              const what = `after ${ends.length} calls of keepEndOfAll()`;
              assertSame(
                at,
                endedAt,
                `the time of the latest end that did not spare the session ${id}, ${what}`,
              );
              assertThat(
                endedAt === 0 || notSparing.some((end) => end.at === endedAt && end.by === by),
                `expected the reason of the latest end that did not spare the session ${id}, but it is ${shown(by)}, ${what}`,
              );
            }
          }
        },
      ),
      { numRuns: 25, includeErrorInReport: true },
    );
  });
}

/** Loaded only by the tests that use it, because most users of this package run no suite of stores. */
async function fastCheck() {
  return (await import('fast-check')).default;
}
