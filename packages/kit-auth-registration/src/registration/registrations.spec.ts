import { describe, expect, it } from '@jest/globals';
import type { LoginUser } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/feature';
import type { NewOneTimeToken, OneTimeTokens } from 'kit-auth/store';
import type { AuthMail } from 'kit-auth-email';
import { loginUser } from 'test-support';
import { registrationOptions } from '../registration.options.js';
import type { EmailModuleParts } from '../email-module-parts.js';
import { Registrations } from './registrations.js';

const TYPED = { address: 'Ada@Example.com', key: 'ada@example.com' };
const EXPIRES = new Date();

interface Case {
  mode?: 'open' | 'invited';
  /** The account with the address. */
  known?: { user: LoginUser | undefined };
  mayRequest?: boolean;
  maySend?: boolean;
}

function registrationsWith({ mode = 'open', known, mayRequest = true, maySend = true }: Case = {}) {
  const prepared: (() => Promise<AuthMail | undefined>)[] = [];
  const counted: unknown[][] = [];
  const issued: NewOneTimeToken[] = [];
  const email = {
    queue: {
      add: (about: object, prepare: () => Promise<AuthMail | undefined>) => {
        expect(about).toEqual({ kind: 'register' });
        prepared.push(prepare);
      },
    },
    limits: {
      countRequest: async () => {
        if (!mayRequest) {
          throw Object.assign(new Error('too many'), { code: 42900 });
        }
      },
      countMail: async (...args: unknown[]) => counted.push(args) > 0 && maySend,
    },
    addresses: {
      findByKey: async (key: string) =>
        key === TYPED.key && known ? { userId: 7, address: 'ADA@example.com', key } : undefined,
    },
    links: { build: (page: string, token: string) => `https://app.example/${page}#${token}` },
  } as unknown as EmailModuleParts;
  const users = { loadLoginUser: async () => known?.user } as unknown as ActiveUserStore;
  const tokens = {
    issue: async (wanted: NewOneTimeToken) => {
      issued.push(wanted);
      return { token: 'kato_x', id: 'x', expiresAt: EXPIRES };
    },
  } as unknown as OneTimeTokens;
  const registrations = new Registrations(users, email, tokens, registrationOptions.resolve({ mode }));
  return { registrations, prepared, counted, issued };
}

describe('Registrations', () => {
  it('are open to everybody, or to nobody', () => {
    expect(() => registrationsWith().registrations.requireOpen()).not.toThrow();
    expect(() => registrationsWith({ mode: 'invited' }).registrations.requireOpen()).toThrow(
      expect.objectContaining({ code: 40300, message: 'Registration is by invitation only' }),
    );
  });

  it('look nothing up before the mail is prepared in the background', async () => {
    const { registrations, prepared, counted, issued } = registrationsWith();
    await registrations.request(TYPED, undefined);
    expect([prepared.length, counted, issued]).toEqual([1, [], []]);
    const refused = registrationsWith({ mayRequest: false });
    await expect(refused.registrations.request(TYPED, undefined)).rejects.toMatchObject({ code: 42900 });
    expect(refused.prepared).toEqual([]);
  });

  it.each([undefined, 'pt-BR'])('send a link to a new address, with the locale %s', async (locale) => {
    const { registrations, prepared, counted, issued } = registrationsWith();
    await registrations.request(TYPED, locale);
    expect(await prepared[0]!()).toEqual({
      kind: 'register',
      to: TYPED.address,
      link: 'https://app.example/register#kato_x',
      expiresAt: EXPIRES,
      ...(locale && { locale }),
    });
    expect(counted).toEqual([['register', TYPED.key]]);
    const about = { purpose: 'register', subject: TYPED.key, data: { address: TYPED.address } };
    expect(issued).toEqual([{ ...about, ttlSeconds: 24 * 60 * 60, replaces: true }]);
  });

  it.each<[string, LoginUser | undefined]>([
    ['an account', loginUser({ userId: 7, username: 'ada' })],
    ['a disabled account', undefined],
  ])('write to the stored address of %s, without a link', async (_, user) => {
    const { registrations, prepared, counted, issued } = registrationsWith({ known: { user } });
    await registrations.request(TYPED, 'de');
    const mail = await prepared[0]!();
    expect(mail).toMatchObject({ kind: 'already-registered', to: 'ADA@example.com', locale: 'de' });
    expect([mail?.link, mail?.user?.userId]).toEqual([undefined, user?.userId]);
    expect([counted, issued]).toEqual([[['already-registered', TYPED.key]], []]);
  });

  it.each<Case>([{}, { known: { user: loginUser() } }])(
    'send nothing beyond the limit: %j',
    async (which) => {
      const { registrations, prepared, issued } = registrationsWith({ ...which, maySend: false });
      await registrations.request(TYPED, undefined);
      expect([await prepared[0]!(), issued]).toEqual([undefined, []]);
    },
  );
});
