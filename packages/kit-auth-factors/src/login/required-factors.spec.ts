import { describe, expect, it } from '@jest/globals';
import type { LoginProof } from 'kit-auth';
import type { SecondFactors } from 'kit-auth/second-factor';
import { loginUser } from 'test-support';
import { RequiredFactors } from './required-factors.js';

const CLERK = loginUser({ roles: ['reader', 'clerk'] });
const OTHER = loginUser({ roles: ['reader'] });

describe('a required factor', () => {
  const factors = { unaskedOf: async () => ['passkey'] } as unknown as SecondFactors;
  const required = new RequiredFactors(['clerk', 'chief'], factors);
  const isMissing = (user: typeof CLERK, shown: LoginProof['factors']) =>
    required.needsEnrolment({ user, proof: { factors: shown } });

  it.each(['totp', 'recovery', 'passkey', 'mfa'])('can be %s', (factor) => {
    expect(isMissing(CLERK, { password: 1, [factor]: 1 })).toBe(false);
  });

  it.each([{}, { password: 1 }, { link: 1 }, { oidc: 1 }, { key: 1 }])(
    'is missing in the proof %j',
    (shown) => {
      expect([isMissing(CLERK, shown), isMissing(OTHER, shown)]).toEqual([true, false]);
    },
  );

  it('is asked of holders of the role, also if their login does not ask for it', async () => {
    expect(await required.secondFactorsOf(CLERK)).toEqual(['passkey']);
    expect(await required.secondFactorsOf(OTHER)).toEqual([]);
  });
});
