import { describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { AUTH_FACTOR, type Factor, type FactorOutcome, LOGIN_STEP } from 'kit-auth';
import { SecondFactorModule, SecondFactorStep } from 'kit-auth/store';
import { sharedTestApp } from 'test-support';
import { FactorsApp, outcomeOf } from '../factors/app.js';

@Injectable()
class PagerFactor implements Factor {
  readonly names = ['pager'];
  readonly confirms = ['pager'];
  isOwned = false;
  answer: () => unknown = () => 'right';

  async has(): Promise<string[]> {
    return this.isOwned ? ['pager'] : [];
  }

  async verify(): Promise<FactorOutcome> {
    return this.answer() as FactorOutcome;
  }
}

@Module({
  imports: [SecondFactorModule],
  providers: [
    PagerFactor,
    { provide: AUTH_FACTOR, useExisting: PagerFactor },
    { provide: LOGIN_STEP, useExisting: SecondFactorStep },
  ],
})
class PagerModule {}

describe('a second factor of the application', () => {
  const app = sharedTestApp(
    new FactorsApp({ imports: [PagerModule], options: { login: { throttle: false } } }),
  );

  it.each<[string, () => unknown]>([
    ['another word', () => 'Wrong'],
    [
      'an error',
      () => {
        throw new Error('x');
      },
    ],
  ])(
    'logs in with a right answer, and not with %s, which does not count as a guess',
    async (_what, answer) => {
      const pager = app.get(PagerFactor);
      pager.isOwned = false;
      const user = await app.user();
      const token = await app.tokenOf(user);
      pager.isOwned = true;
      const challenge = await app.challenge(user);
      const outcomes = async () => [
        await app.outcomeOf(challenge, '1234', 'pager'),
        outcomeOf(await app.fresh(token, '1234', 'pager')),
      ];
      pager.answer = answer;
      for (let tries = 0; tries < 6; tries++) {
        expect(await outcomes()).toEqual(['50300', '50300']);
      }
      pager.answer = () => 'right';
      expect(await outcomes()).toEqual(['200', '200']);
    },
  );
});
