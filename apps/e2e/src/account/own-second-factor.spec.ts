import { setImmediate as tick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { LOGIN_STEP, type LoginUser } from 'kit-auth';
import {
  type FactorOutcome,
  SECOND_FACTOR,
  type SecondFactor,
  SecondFactorModule,
  SecondFactorStep,
} from 'kit-auth/second-factor';
import { holdTimeouts, sharedTestApp } from 'test-support';
import { FactorsApp, outcomeOf } from '../factors/app.js';

@Injectable()
class PagerFactor implements SecondFactor {
  readonly names = ['pager'];
  readonly confirms = ['pager'];
  readonly owners = new Set<unknown>();
  answer: () => unknown = async () => 'wrong';

  async of({ userId }: LoginUser): Promise<string[]> {
    return this.owners.has(userId) ? ['pager'] : [];
  }

  verify(): Promise<FactorOutcome> {
    return this.answer() as Promise<FactorOutcome>;
  }
}

@Module({
  imports: [SecondFactorModule],
  providers: [
    PagerFactor,
    { provide: SECOND_FACTOR, useExisting: PagerFactor },
    { provide: LOGIN_STEP, useExisting: SecondFactorStep },
  ],
})
class PagerModule {}

describe('a second factor of the application', () => {
  const app = sharedTestApp(
    new FactorsApp({
      imports: [PagerModule],
      options: { login: { throttle: false } },
    }),
  );
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    pass = holdTimeouts(1_900_000_000_000);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** A user who has a pager, a token from before, and a login that waits for the pager. */
  const owner = async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    app.get(PagerFactor).owners.add(user.id);
    return { token, challenge: await app.challenge(user) };
  };
  const outcomes = async ({ token, challenge }: { token: string; challenge: string }) => [
    await app.outcomeOf(challenge, '1234', 'pager'),
    outcomeOf(await app.fresh(token, '1234', 'pager')),
  ];

  it('logs in with a right answer', async () => {
    app.get(PagerFactor).answer = async () => 'right';
    expect(await outcomes(await owner())).toEqual(['200', '200']);
  });

  it.each<[string, () => unknown]>([
    ['false', async () => false],
    ['true', async () => true],
    ['nothing', async () => undefined],
    ['another word', async () => 'Wrong'],
    [
      'no answer in time',
      () => {
        void tick().then(() => pass(6000));
        return new Promise(() => undefined);
      },
    ],
    [
      'an error at once',
      () => {
        throw new Error('x');
      },
    ],
  ])('logs nobody in with %s, which does not count as a guess', async (_what, answer) => {
    app.get(PagerFactor).answer = answer;
    const waiting = await owner();
    for (let tries = 0; tries < 6; tries++) {
      expect(await outcomes(waiting)).toEqual(['50300', '50300']);
    }
    app.get(PagerFactor).answer = async () => 'right';
    expect(await outcomes(waiting)).toEqual(['200', '200']);
  });
});
