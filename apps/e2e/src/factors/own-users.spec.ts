import { expect, it, jest } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { OneTimeTokens } from 'kit-auth/store';
import { freezeDate, PASSWORD } from 'test-support';
import { codeOf, FactorsApp, STEP_MS } from './app.js';
import { OwnUsers } from '../users/own-users.js';

/** Does not look at the stamp when a login is complete. */
@Injectable()
class UsersWithoutNotes extends OwnUsers {
  override noteLogin = undefined as never;
}

@Module({ providers: [UsersWithoutNotes, { provide: AUTH_USER_STORE, useExisting: UsersWithoutNotes }] })
class UsersWithoutNotesModule {}

it('a user who changes while the code is verified is not let in by a store that notes no logins, either', async () => {
  const users = UsersWithoutNotesModule;
  const core = KitAuthModule.forRoot({ users, password: { cost: 10 } });
  const app = await new FactorsApp({ admin: false, core }).start();
  const pass = freezeDate();
  app.get(UsersWithoutNotes).insert({ id: 'usr_1', name: 'ada', hash: bcrypt.hashSync(PASSWORD, 10) });
  const { device } = await app.enrol(await app.tokenOf('ada'));
  pass(STEP_MS);
  const tokens = app.get(OneTimeTokens);
  const claim = tokens.claim.bind(tokens);
  jest.spyOn(tokens, 'claim').mockImplementationOnce(async (...args) => {
    await claim(...args);
    app.get(UsersWithoutNotes).db.exec(`update account set stamp = 'another'`);
  });
  expect(await app.outcomeOfLogin({ username: 'ada' }, codeOf(device))).toBe('40113 challenge-ended');
  pass(STEP_MS);
  expect(await app.outcomeOfLogin({ username: 'ada' }, codeOf(device))).toBe('200');
});
