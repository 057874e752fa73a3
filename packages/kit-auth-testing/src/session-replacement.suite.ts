import assert from 'node:assert/strict';
import type { Session, SessionStore, StoredSession } from 'kit-auth-session';
import { LIFETIME, NOW, sessionOf } from './session-fixtures.js';
import { testRunner } from './test-runner.js';

const ROUNDS = 20;

/** Each test has its own users, so that all tests can share one store. */
let lastUserId = 1_100_000 + Math.trunc(Math.random() * 1_000_000);

/** Defines the tests of `replace` and `keepFirstEnd`, for a store that has them. */
export function describeReplacements(storeOf: () => SessionStore): void {
  const { it } = testRunner();
  const idsOf = async (userId: number) => (await storeOf().listOf(userId, NOW)).map(({ id }) => id);
  const endedBy = async (id: string) => (await storeOf().find(id))?.endedBy;
  const create = async (userId: number, more: Partial<Session> = {}): Promise<Session> => {
    const session = sessionOf(userId, more);
    await storeOf().create(session);
    return session;
  };
  const replace = async (former: Session, session = sessionOf(former.userId)) => ({
    session,
    isReplaced: await storeOf().replace?.(former.id, session),
  });
  const isAbsent = () => storeOf().replace === undefined;

  it('replaces a live session, and leaves others alone', async () => {
    if (isAbsent()) {
      return;
    }
    const [other, former] = [await create(++lastUserId), await create(lastUserId, { createdAt: NOW + 1 })];
    const { session, isReplaced } = await replace(former, sessionOf(lastUserId, { createdAt: NOW + 2 }));
    assert.equal(isReplaced, true);
    assert.deepEqual(await idsOf(lastUserId), [other.id, session.id]);
    assert.equal(await endedBy(former.id), 'replaced');
    assert.equal(await endedBy(session.id), undefined);
  });

  it('replaces no session that is over or unknown', async () => {
    if (isAbsent()) {
      return;
    }
    const [ended, expired] = [await create(++lastUserId), await create(lastUserId, { expiresAt: NOW })];
    await storeOf().end(ended.id, 'kicked', NOW);
    for (const former of [ended, expired, sessionOf(lastUserId)]) {
      const { session, isReplaced } = await replace(former);
      assert.equal(isReplaced, false);
      assert.equal(await storeOf().find(session.id), undefined);
    }
    assert.equal(await endedBy(ended.id), 'kicked');
  });

  it('ends the successor instead of a session that was replaced', async () => {
    if (isAbsent()) {
      return;
    }
    const former = await create(++lastUserId);
    const { session: second } = await replace(former);
    const { session: third } = await replace(second);
    assert.equal(await storeOf().end(former.id, 'logged-out', NOW, sessionOf(lastUserId).id), false);
    assert.equal(await storeOf().end(former.id, 'logged-out', NOW), true);
    assert.equal(await endedBy(third.id), 'logged-out');
    assert.equal(await storeOf().end(former.id, 'kicked', NOW), false);
    assert.deepEqual([await endedBy(former.id), await endedBy(second.id)], ['replaced', 'replaced']);
    const again = await create(lastUserId);
    await replace(again);
    assert.equal(await storeOf().endAllOf(lastUserId, 'kicked', NOW), 1);
    assert.deepEqual(await idsOf(lastUserId), []);
  });

  it('leaves no session alive when one is replaced and ended at once', async () => {
    if (isAbsent()) {
      return;
    }
    for (let round = 0; round < ROUNDS; round++) {
      const former = await create(++lastUserId);
      const ends = [
        async () => storeOf().end(former.id, 'logged-out', NOW),
        async () => storeOf().endAllOf(former.userId, 'kicked', NOW),
      ];
      const end = ends[round % 2] as () => Promise<unknown>;
      await Promise.all(round % 4 < 2 ? [end(), replace(former)] : [replace(former), end()]);
      assert.deepEqual(await idsOf(lastUserId), []);
    }
  });

  it('lets one of many replace a session', async () => {
    if (isAbsent()) {
      return;
    }
    const former = await create(++lastUserId);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => replace(former)));
    const winners = outcomes.filter(({ isReplaced }) => isReplaced);
    assert.equal(winners.length, 1);
    assert.deepEqual(
      await idsOf(lastUserId),
      winners.map(({ session }) => session.id),
    );
  });

  it('stores the first end of an unknown session, whoever comes next', async () => {
    if (storeOf().keepFirstEnd === undefined) {
      return;
    }
    const session = sessionOf(++lastUserId);
    const ends = Array.from({ length: 8 }, (_, i): StoredSession => ({
      ...{ ...session, endedBy: i % 2 === 0 ? 'replaced' : 'logged-out' },
      ...(i % 2 === 0 && { successorId: sessionOf(lastUserId).id }),
    }));
    const kept = await Promise.all(ends.map(async (end) => storeOf().keepFirstEnd?.(end)));
    const first = await storeOf().find(session.id);
    const told = ({ endedBy: by, successorId }: Partial<StoredSession> = {}) => `${by} ${successorId}`;
    assert.ok(ends.map(told).includes(told(first)));
    assert.deepEqual(new Set(kept.map(told)), new Set([told(first)]));
    assert.equal(first?.expiresAt, NOW + LIFETIME);
    assert.deepEqual(await idsOf(lastUserId), []);
  });
}
