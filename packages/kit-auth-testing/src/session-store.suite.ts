import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { Session, SessionEnd, SessionLimit, SessionStore } from 'kit-auth-session';
import { testRunner } from './test-runner.js';

const NOW = Date.now();
const LIFETIME = 60 * 60_000;
const LIMIT = { max: 3, overflow: 'end-oldest', seenSince: 0 } as const satisfies SessionLimit;

/** Each test has users of its own, so that one store serves them all. */
let lastUserId = 1000 + Math.trunc(Math.random() * 1_000_000);

function sessionOf(userId: number, more: Partial<Session> = {}): Session {
  const hash = createHash('sha256').update(randomBytes(32)).digest('base64url');
  return {
    id: `${userId.toString(36)}.${hash}`,
    userId,
    createdAt: NOW,
    lastSeenAt: NOW,
    expiresAt: NOW + LIFETIME,
    address: '2001:db8::1',
    userAgent: 'suite/1.0 (test)',
    ...more,
  };
}

/**
 * What every `SessionStore` has to hold, for one of your own:
 * `describeSessionStore('mine', () => store)` in a test file.
 *
 * @param storeOf gives the store, ready to use; it is called in tests, not before. Closing is yours.
 */
export function describeSessionStore(name: string, storeOf: () => SessionStore): void {
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
    it('finds what was created, as it was created', async () => {
      const full = sessionOf(++lastUserId);
      const bare = sessionOf(lastUserId, { address: undefined, userAgent: undefined });
      for (const session of [full, bare]) {
        await storeOf().create(session);
        assert.deepEqual({ ...(await storeOf().find(session.id)) }, { ...session, endedBy: undefined });
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

    it('moves the last time seen forward only, and never of an ended session', async () => {
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

    it('lists the live sessions of a user, oldest first, and of nobody else', async () => {
      const others = await createSeveral(++lastUserId, 1);
      const sessions = await createSeveral(++lastUserId, 4);
      await storeOf().end(sessions[1]?.id as string, 'kicked', NOW);
      const live = [sessions[0], sessions[2], sessions[3]].map((session) => session?.id);
      assert.deepEqual(await idsOf(lastUserId), live);
      assert.deepEqual(await idsOf(lastUserId, NOW + LIFETIME + 2), []);
      assert.deepEqual(await idsOf(lastUserId - 1), [others[0]?.id]);
      assert.deepEqual(
        (await storeOf().listOf(lastUserId, NOW)).map((session) => ({ ...session })),
        [sessions[0], sessions[2], sessions[3]],
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

    it('ends the oldest session when there is one too many', async () => {
      const sessions = await createSeveral(++lastUserId, 3);
      const next = sessionOf(lastUserId, { createdAt: NOW + 10 });
      assert.equal(await storeOf().create(next, LIMIT), true);
      assert.equal(await endedBy(sessions[0]?.id as string), 'replaced');
      assert.deepEqual(await idsOf(lastUserId), [sessions[1]?.id, sessions[2]?.id, next.id]);
    });

    it('brings a user down to a limit that is lower than before', async () => {
      await createSeveral(++lastUserId, 6);
      const next = sessionOf(lastUserId, { createdAt: NOW + 10 });
      await storeOf().create(next, { ...LIMIT, max: 1 });
      assert.deepEqual(await idsOf(lastUserId), [next.id]);
    });

    it('refuses a session too many where it is told to', async () => {
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

    it('keeps the limit when many log in at once', async () => {
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

    it('lets one of many endings at once be the one', async () => {
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

    it('never brings a session back, whatever happens at once', async () => {
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
                assert.ok(isOver || !over.has(id), 'a session that was over is back');
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

    it('keeps the end of a session that it never had, and moves it', async () => {
      const end = { ...sessionOf(++lastUserId), endedBy: 'logged-out' } as const;
      await storeOf().keepEnd(end);
      assert.deepEqual({ ...(await storeOf().find(end.id)) }, end);
      const later = { ...end, createdAt: NOW + 5, endedBy: 'kicked', address: undefined } as const;
      await storeOf().keepEnd(later);
      assert.deepEqual({ ...(await storeOf().find(end.id)) }, later);
      assert.deepEqual(await idsOf(lastUserId), []);
      assert.equal(
        await storeOf().create(sessionOf(lastUserId), { ...LIMIT, max: 1, overflow: 'refuse' }),
        true,
      );
    });

    it('forgets what is long over, and nothing else', async () => {
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
