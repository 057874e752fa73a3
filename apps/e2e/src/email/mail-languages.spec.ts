import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { LOCALES_OF_USERS, type LocalesOfUsers } from 'kit-auth-email';
import { KitAuthLanguagesModule } from 'kit-auth-languages';
import { sharedTestApp, until } from 'test-support';
import { EmailApp } from './app.js';

/** The languages that users have chosen. */
@Injectable()
class ChosenLocales implements LocalesOfUsers {
  readonly byId = new Map<UserId, string>();

  async localeOf(userId: UserId): Promise<string | undefined> {
    return this.byId.get(userId);
  }
}

@Module({
  providers: [ChosenLocales, { provide: LOCALES_OF_USERS, useExisting: ChosenLocales }],
})
class ChosenLocalesModule {}

describe('the locale of a mail', () => {
  const app = sharedTestApp(new EmailApp({ imports: [KitAuthLanguagesModule, ChosenLocalesModule] }));
  beforeEach(() => app.sendAtOnce());

  it.each([
    ['the language of the request', undefined, 'en-GB, de;q=0.5', 'en'],
    ['the language that the user has chosen', 'de-CH', 'en', 'de-CH'],
  ])('is %s', async (_, chosen, accepted, locale) => {
    const { id, address } = await app.addressed();
    if (chosen !== undefined) {
      app.get(ChosenLocales).byId.set(id, chosen);
    }
    const parts = { method: 'POST', json: { email: address }, headers: [`Accept-Language: ${accepted}`] };
    expect((await app.request('/v1/api/auth/password/forgot', parts)).status).toBe(202);
    expect((await until(() => app.mailbox.to(address)[0])).locale).toBe(locale);
  });
});
