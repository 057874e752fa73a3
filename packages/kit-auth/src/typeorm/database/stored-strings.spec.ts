import { describe, expect, it } from '@jest/globals';
import { AuthUser, asBadRequest, verifyStored } from 'kit-auth/typeorm';
import { sharedTestApp } from 'test-support';
import { QueryFailedError } from 'typeorm';

describe('verifyStored', () => {
  const app = sharedTestApp({ admin: true });
  const requireTexts = (id: number, texts: Parameters<typeof verifyStored>[3]) =>
    verifyStored(app.users.manager, AuthUser, id, texts);

  it('accepts the texts that a row has, and those that are not given', async () => {
    const { id } = await app.user({ username: 'ada', nickname: 'Zoë' });
    await requireTexts(id, { username: 'ada', nickname: 'Zoë' });
    await requireTexts(id, { nickname: undefined });
  });

  it('throws for a text that the database changed, which becomes 40000 with the name of the field', async () => {
    const { id } = await app.user({ username: 'eve', nickname: 'Zo?' });
    const error: unknown = await requireTexts(id, { username: 'eve', nickname: 'Zoë' }).catch(
      (error: unknown) => error,
    );
    expect(() => asBadRequest({})(error)).toThrow(
      expect.objectContaining({
        code: 40000,
        message: expect.stringMatching(/^The database cannot store this nickname\. /),
      }),
    );
  });
});

describe('asBadRequest', () => {
  const failure = (driverError: object, message = '') =>
    new QueryFailedError('INSERT', [], Object.assign(new Error(message), driverError));
  const MARIADB = { errno: 1366 };
  const POSTGRES = { code: '22P05' };

  it.each([
    ['the column', MARIADB, 'Incorrect string value for column `test`.`auth_user`.`nickname`', 'nickname'],
    ['the text beyond ASCII', POSTGRES, 'character has no equivalent in encoding LATIN1', 'username'],
  ])('names %s', (_what, driverError, message, field) => {
    const refuse = asBadRequest({ username: 'Zoë', nickname: 'zoe' });
    expect(() => refuse(failure(driverError, message))).toThrow(`cannot store this ${field}.`);
  });

  it('names all texts when none stands out', () => {
    const refuse = asBadRequest({ username: 'ada', nickname: 'Ada', name: undefined });
    expect(() => refuse(failure(POSTGRES))).toThrow('cannot store this username and nickname.');
  });

  it.each([failure({ code: '23505' }), new Error('other')])('throws other errors again: %s', (error) => {
    expect(() => asBadRequest({ name: 'é' })(error)).toThrow(error);
  });
});
