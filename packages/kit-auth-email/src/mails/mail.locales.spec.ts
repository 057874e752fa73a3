import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import {
  type AuthErrorBody,
  type AuthException,
  ErrorTexts,
  KitAuthContext,
  type KitAuthSettings,
  type UserId,
} from 'kit-auth';
import { MessageContexts } from 'kit-auth/login';
import type { Ports } from 'kit-auth/feature';
import { loginUser, MemoryLogger } from 'test-support';
import type { AuthMail } from './auth-mail.js';
import type { LocalesOfUsers } from './mail.locales.js';
import { MailLocales } from './mail.locales.js';

const ADA = 7;
const ADMIN = 1;
const MAIL: AuthMail = { kind: 'reset', to: 'ada@example.com' };
const CLIENT = { address: '192.0.2.1', userAgent: undefined, hasLeft: () => false };

/** A request in French, and the fallback everywhere, as with `KitAuthLanguagesModule`. */
class Texts extends ErrorTexts {
  of(exception: AuthException): AuthErrorBody {
    return exception.getResponse() as AuthErrorBody;
  }

  language(): string | undefined {
    return 'fr';
  }

  translated(exception: AuthException): AuthException {
    return exception;
  }
}

function localesWith(localeOf?: unknown, texts: ErrorTexts = new Texts()): MailLocales {
  const users = localeOf === undefined ? undefined : ({ localeOf } as LocalesOfUsers);
  const ports = { only: () => users } as unknown as Ports;
  const core = { enabled: true, extensionTimeoutMs: 5000 } as KitAuthSettings;
  const locales = new MailLocales(ports, new KitAuthContext(), texts, core);
  locales.onModuleInit();
  return locales;
}

/** The language that a request has for a mail, by who makes it. */
function askedBy(locales: MailLocales, userId?: UserId, actorId?: UserId, client = CLIENT) {
  const actor = actorId === undefined ? {} : { actor: { userId: actorId, username: 'admin' } };
  const proof = { factors: {}, ...actor };
  const principal =
    userId === undefined ? undefined : { user: loginUser({ userId }), proof, scheme: 'stub', token: 't' };
  return new MessageContexts().run(principal, client, () => locales.asked());
}

const german = () => 'de';

describe('the language of a mail', () => {
  let logs: MemoryLogger;
  beforeEach(() => {
    logs = new MemoryLogger();
    Logger.overrideLogger(logs);
  });

  const localeOf = async (locales: MailLocales, asked = askedBy(locales), mail = MAIL) =>
    (await locales.fill(mail, ADA, asked)).locale;

  it('is the given one, or that of the user, or that of the request, or undefined', async () => {
    const given = { ...MAIL, locale: 'pt-BR' };
    const both = localesWith(german);
    expect(await localeOf(both, askedBy(both), given)).toBe('pt-BR');
    expect(await localeOf(both)).toBe('de');
    expect(await localeOf(localesWith(() => undefined))).toBe('fr');
    expect(await localeOf(localesWith())).toBe('fr');
    expect(await localesWith().fill(MAIL, ADA, undefined)).toBe(MAIL);
    expect(logs.ours()).toEqual([]);
  });

  it('is asked for the recipient, and for nobody who has no account', async () => {
    const ids: unknown[] = [];
    const locales = localesWith(async (userId: UserId) => {
      ids.push(userId);
      return 'pt-br';
    });
    expect((await locales.fill(MAIL, ADA, undefined)).locale).toBe('pt-BR');
    expect(await locales.fill(MAIL, undefined, undefined)).toBe(MAIL);
    expect(await locales.fill(MAIL, null, undefined)).toBe(MAIL);
    expect(ids).toEqual([ADA]);
  });

  it.each([
    ['nobody who is logged in', [], 'fr'],
    ['the recipient', [ADA], 'fr'],
    ['an administrator', [ADMIN], undefined],
    ['an administrator who acts as the recipient', [ADA, ADMIN], undefined],
    ['the recipient who acts as somebody else', [ADMIN, ADA], 'fr'],
  ])('is that of the request if it is made by %s: %j, %s', async (_, [userId, actorId], locale) => {
    const locales = localesWith();
    expect(await localeOf(locales, askedBy(locales, userId, actorId))).toBe(locale);
  });

  it('is not that of an administrator who invites somebody', async () => {
    const locales = localesWith();
    expect(await locales.fill(MAIL, undefined, askedBy(locales, ADMIN))).toBe(MAIL);
    expect((await locales.fill(MAIL, undefined, askedBy(locales))).locale).toBe('fr');
  });

  it('is not the fallback of errors outside of a request, nor where the client has left', () => {
    const locales = localesWith();
    expect(locales.asked()).toBeUndefined();
    expect(new KitAuthContext().run(loginUser(), () => locales.asked())).toBeUndefined();
    expect(askedBy(locales, undefined, undefined, { ...CLIENT, hasLeft: () => true })).toBeUndefined();
    expect(askedBy(locales)).toEqual({ locale: 'fr', askerId: undefined });
  });

  it('is undefined without the languages package', () => {
    class NoTexts extends Texts {
      override language(): undefined {}
    }
    expect(askedBy(localesWith(undefined, new NoTexts()))).toBeUndefined();
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no column for ada@example.com');
      },
      'Error: no column for ...',
    ],
    ['rejects', () => Promise.reject(new Error('down')), 'Error: down'],
    ['hangs', () => new Promise(() => undefined), 'LocalesOfUsers gave no answer in 5000 ms'],
    ['gives a name', () => 'de_DE', 'TypeError: the result is neither a language tag'],
    ['gives null', () => null, 'neither a language tag'],
    ['gives a list', () => Promise.resolve(['de']), 'neither a language tag'],
  ])('is that of the request where the application %s, which is logged once', async (_, broken, reason) => {
    const locales = localesWith(broken);
    jest.useFakeTimers();
    const both = Promise.all([localeOf(locales), localeOf(locales)]);
    await jest.advanceTimersByTimeAsync(5000);
    jest.useRealTimers();
    expect(await both).toEqual(['fr', 'fr']);
    expect(logs.ours()).toHaveLength(1);
    expect(logs.ours()[0]).toContain(`localeOf() of LocalesOfUsers failed`);
    expect(logs.ours()[0]).toContain(reason);
  });

  it('is logged for each cause, but not without end', async () => {
    let calls = 0;
    const locales = localesWith(() => Promise.reject(new Error(`no row ${++calls}`)));
    for (let i = 0; i < 20; i++) {
      await localeOf(locales);
    }
    expect(logs.ours()).toHaveLength(10);
    expect(logs.ours()[1]).toContain('no row 2');
  });
});
