import type { Session, SessionStore, StoredSession } from 'kit-auth-session';
import { assertOneOf, assertSame } from './assertions.js';
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
    assertSame(isReplaced, true, 'the result of replace() for a live session');
    assertSame(
      await idsOf(lastUserId),
      [other.id, session.id],
      'the ids that listOf() returns after replace()',
    );
    assertSame(await endedBy(former.id), 'replaced', 'endedBy of the session that was replaced');
    assertSame(await endedBy(session.id), undefined, 'endedBy of the session that replaced another');
  });

  it('replaces no session that is over or unknown', async () => {
    if (isAbsent()) {
      return;
    }
    const [ended, expired] = [await create(++lastUserId), await create(lastUserId, { expiresAt: NOW })];
    await storeOf().end(ended.id, 'kicked', NOW);
    for (const [what, former] of Object.entries({ ended, expired, unknown: sessionOf(lastUserId) })) {
      const { session, isReplaced } = await replace(former);
      assertSame(isReplaced, false, `the result of replace() for a session that is ${what}`);
      const added = await storeOf().find(session.id);
      assertSame(added, undefined, `what replace() adds for a session that is ${what}`);
    }
    assertSame(
      await endedBy(ended.id),
      'kicked',
      'endedBy of an ended session, which keeps its first reason,',
    );
  });

  it('ends the successor instead of a session that was replaced', async () => {
    if (isAbsent()) {
      return;
    }
    const former = await create(++lastUserId);
    const { session: second } = await replace(former);
    const { session: third } = await replace(second);
    const onBehalf = await storeOf().end(former.id, 'logged-out', NOW, sessionOf(lastUserId).id);
    assertSame(onBehalf, false, 'the result of end() on behalf of an unknown session');
    const isEnded = await storeOf().end(former.id, 'logged-out', NOW);
    assertSame(isEnded, true, 'the result of end() for a replaced session whose last successor is live');
    assertSame(
      await endedBy(third.id),
      'logged-out',
      'endedBy of the last successor, which end() ends instead,',
    );
    const again = await storeOf().end(former.id, 'kicked', NOW);
    assertSame(again, false, 'the result of end() for a replaced session whose last successor is over');
    const reasons = [await endedBy(former.id), await endedBy(second.id)];
    assertSame(reasons, ['replaced', 'replaced'], 'endedBy of the sessions that were replaced');
    await replace(await create(lastUserId));
    const count = await storeOf().endAllOf(lastUserId, 'kicked', NOW);
    assertSame(count, 1, 'the result of endAllOf() with a replaced session and its successor');
    assertSame(await idsOf(lastUserId), [], 'the ids that listOf() returns after endAllOf()');
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
      const live = await idsOf(lastUserId);
      assertSame(live, [], 'the ids that listOf() returns after replace() and an end at the same time');
    }
  });

  it('lets one of many replace a session', async () => {
    if (isAbsent()) {
      return;
    }
    const former = await create(++lastUserId);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => replace(former)));
    const winners = outcomes.filter(({ isReplaced }) => isReplaced);
    assertSame(
      winners.length,
      1,
      'the number of calls that return true, of eight calls of replace() at once,',
    );
    assertSame(
      await idsOf(lastUserId),
      winners.map(({ session }) => session.id),
      'the ids that listOf() returns after eight calls of replace() at once',
    );
  });

  it('stores the first end of an unknown session, whoever comes next', async () => {
    if (storeOf().keepFirstEnd === undefined) {
      return;
    }
    const session = sessionOf(++lastUserId);
    const ends = Array.from({ length: 8 }, (_, i): StoredSession => ({
      ...session,
      endedBy: i % 2 === 0 ? 'replaced' : 'logged-out',
      ...(i % 2 === 0 && { successorId: sessionOf(lastUserId).id }),
    }));
    const kept = await Promise.all(ends.map(async (end) => storeOf().keepFirstEnd?.(end)));
    const first = await storeOf().find(session.id);
    const told = ({ endedBy: by, successorId }: Partial<StoredSession> = {}) => `${by} ${successorId}`;
    const entry = 'the end (endedBy and successorId)';
    assertOneOf(
      told(first),
      ends.map(told),
      `${entry} that is stored after several calls of keepFirstEnd() at once`,
    );
    for (const each of kept) {
      assertSame(
        told(each),
        told(first),
        `${entry} that keepFirstEnd() returns, which is the one that is stored,`,
      );
    }
    assertSame(first?.expiresAt, NOW + LIFETIME, 'expiresAt of the end that keepFirstEnd() stores');
    assertSame(await idsOf(lastUserId), [], 'the ids that listOf() returns, which leaves out ends,');
  });
}
