import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freezeDate, sharedTestApp } from 'test-support';
import { KitAuthPasskeysModule } from '../kit-auth-passkeys.module.js';
import { Ceremonies, type CeremonyOwner } from './ceremonies.js';

const PURPOSE = 'passkey-register';
const ENDED = expect.objectContaining({ code: 40113, reason: 'challenge-ended' });
const WRONG = expect.objectContaining({ code: 40113, reason: undefined });

describe('a ceremony', () => {
  const app = sharedTestApp({
    imports: [KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' })],
  });
  let ceremonies: Ceremonies;
  let owner: CeremonyOwner;
  let pass: (milliseconds: number) => void;
  beforeAll(async () => {
    owner = { userId: (await app.user()).id, login: 'one' };
  });
  beforeEach(() => {
    ceremonies = app.get(Ceremonies);
    pass = freezeDate();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['another user', { userId: 8 }],
    ['another login', { login: 'other' }],
    ['a login without a name', { login: undefined }],
  ])('has a challenge for its user and login, and not for %s', async (_, other) => {
    const { ceremony, challenge } = await ceremonies.begin(PURPOSE, owner);
    await expect(ceremonies.challengeOf(PURPOSE, ceremony, { ...owner, ...other })).rejects.toEqual(WRONG);
    await expect(ceremonies.challengeOf(PURPOSE, ceremony)).rejects.toEqual(WRONG);
    const expected = Buffer.from(challenge).toString('base64url');
    expect([challenge.length, await ceremonies.challengeOf(PURPOSE, ceremony, owner)]).toEqual([
      32,
      expected,
    ]);
  });

  it('is completed once, for its purpose, within five minutes', async () => {
    const [one, late] = [await ceremonies.begin(PURPOSE), await ceremonies.begin(PURPOSE)];
    expect(one.challenge).not.toEqual(late.challenge);
    await expect(ceremonies.challengeOf('passkey-login', one.ceremony)).rejects.toEqual(ENDED);
    await expect(ceremonies.complete('passkey-login', one.ceremony)).rejects.toEqual(ENDED);
    pass(299_000);
    await ceremonies.complete(PURPOSE, one.ceremony);
    await expect(ceremonies.complete(PURPOSE, one.ceremony)).rejects.toEqual(ENDED);
    pass(1000);
    await expect(ceremonies.challengeOf(PURPOSE, late.ceremony)).rejects.toEqual(ENDED);
  });
});
