import { describe, expect, it } from '@jest/globals';
import { AuthOneTime } from 'kit-auth/store';
import { fakePasskey } from 'kit-auth-passkeys/testing';
import { AuthPasskey } from 'kit-auth-passkeys/typeorm';
import { countsOf, ORIGIN, outcomeOf, PasskeysApp } from './app.js';
import { Statements } from '../database/statements.js';

/** Lets so many statements pass, and breaks one. */
class BreakingStatements extends Statements {
  private left = Infinity;

  breakAfter(passing: number): void {
    this.left = passing;
  }

  mend(): void {
    this.left = Infinity;
  }

  override logQuery(text: string, parameters?: unknown[]): void {
    super.logQuery(text, parameters);
    if (this.left-- === 0) {
      throw new Error('the database is away');
    }
  }
}

async function start() {
  const statements = new BreakingStatements();
  const app = await new PasskeysApp({ provider: 'session', database: statements.on() }).start();
  return { app, statements };
}

describe('a database that is away', () => {
  it('at any step of a login gives 50300 and no session; until the ceremony is completed, it works afterwards', async () => {
    const { app, statements } = await start();
    const user = await app.registered();
    const afterwards: string[] = [];
    for (let step = 0, isOver = false; !isOver; step++) {
      const before = (await app.call(user.token, 'GET', 'sessions')).json.length;
      const { ceremony, options } = await app.begun();
      statements.breakAfter(step);
      const answer = await app.answer(ceremony, user.passkey.get(options));
      statements.mend();
      isOver = answer.status < 400; // what comes after the answer, such as the audit log, does not change it
      const sessions = (await app.call(user.token, 'GET', 'sessions')).json.length;
      expect([step, outcomeOf(answer), sessions - before]).toEqual(
        isOver ? [step, '200', 1] : [step, '50300', 0],
      );
      if (!isOver) {
        afterwards.push(outcomeOf(await app.answer(ceremony, user.passkey.get(options))));
      }
    }
    // What follows the completion: the session, and the time of the login.
    expect(countsOf(afterwards)).toEqual({ 200: expect.any(Number), '40113 challenge-ended': 2 });
    expect(afterwards.length).toBeGreaterThan(6);
  });

  it('at any step of a registration adds nothing, or adds it without a token', async () => {
    const { app, statements } = await start();
    const user = await app.user();
    const outcomes: string[] = [];
    for (let step = 0, isOver = false; !isOver; step++) {
      const token = await app.tokenOf(user);
      const before = await app.countOf(user);
      const { ceremony, options } = await app.creation(token);
      const body = { ceremony, response: fakePasskey({ origin: ORIGIN }).create(options) };
      statements.breakAfter(step);
      const answer = await app.call(token, 'POST', 'passkeys', body);
      statements.mend();
      isOver = answer.status < 400;
      expect([step, outcomeOf(answer)]).toEqual([step, isOver ? '201' : '50300']);
      const added = (await app.countOf(user)) - before;
      const left = outcomeOf(await app.call(token, 'POST', 'passkeys', body));
      outcomes.push(isOver ? '' : `${added}, then ${left}`);
      await app.rowsOf(AuthPasskey).delete({ userId: String(user.id) });
    }
    // What follows the commit: the token. It may be lost, as when the connection breaks.
    expect(countsOf(outcomes)).toEqual({
      '': 1,
      '0, then 201': expect.any(Number),
      '1, then 40120 missing': expect.any(Number),
      '1, then 40101 replaced': expect.any(Number),
    });
  });
});

describe('junk', () => {
  it('costs one read, and no row', async () => {
    const { app, statements } = await start();
    await app.registered();
    const { ceremony, options } = await app.begun();
    const stranger = fakePasskey({ origin: ORIGIN });
    stranger.create({ challenge: 'AAAA', rp: { id: 'example.com' }, user: { id: 'AAAA' } } as never);
    const shown = stranger.get(options);
    const rows = () => app.rowsOf(AuthOneTime).count();
    const before = await rows();
    const junk = async (sent: unknown, response: unknown) =>
      (await statements.of(() => app.answer(sent, response))).length;
    expect(await junk('kato_x', shown)).toBe(0);
    expect(await junk(ceremony, null)).toBe(0);
    const other = await app.begun();
    await app.rowsOf(AuthOneTime).clear();
    expect(await junk(other.ceremony, shown)).toBe(1);
    expect([await rows(), before > 0]).toEqual([0, true]);
  });
});
