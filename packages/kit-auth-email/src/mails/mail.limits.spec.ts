import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KitAuthContext, type KitAuthSettings, type LoginLimiterOptions } from 'kit-auth';
import { Counters, MessageContexts } from 'kit-auth/login';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { freezeDate } from 'test-support';
import { emailOptions } from '../email.options.js';
import { MailLimits } from './mail.limits.js';

const LINKS = { reset: 'https://app.example/#{token}', verify: 'https://app.example/#{token}' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KEY = 'ada@example.com';

function limitsWith({
  perHour = 20,
  limiter = undefined as object | undefined,
  enabled = true,
} = {}): MailLimits {
  const core = { enabled, login: { throttle: limiter ? { limiter } : false } } as KitAuthSettings;
  const limits = new MailLimits(
    new Counters(core),
    new KitAuthContext(),
    emailOptions.resolve({ links: LINKS, requestsPerHour: perHour }),
    core,
  );
  limits.onModuleInit();
  return limits;
}

/** Runs in a request of a client. */
function from<T>(address: string | undefined, work: () => Promise<T>): Promise<T> {
  return new MessageContexts().run(undefined, { address, userAgent: undefined, hasLeft: () => false }, work);
}

const codeOf = (work: Promise<void>) =>
  work.then(
    () => 0,
    (error: unknown) => (error as { code: number }).code,
  );
const times = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('MailLimits', () => {
  let move: (milliseconds: number) => void;
  beforeEach(() => {
    move = freezeDate();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('let one mail of a kind a minute, and five a day, go to an address', async () => {
    const limits = limitsWith();
    const sent: boolean[] = [];
    while (sent.length < 7) {
      sent.push(await limits.countMail('reset', KEY));
      expect(await limits.countMail('reset', KEY)).toBe(false);
      move(MINUTE);
    }
    expect(sent).toEqual([true, true, true, true, true, false, false]);
    move(24 * HOUR);
    expect(await limits.countMail('reset', KEY)).toBe(true);
  });

  it('have a budget for each address, and for each kind', async () => {
    const limits = limitsWith();
    for (const kind of ['reset', 'register', 'login', 'verify-address', 'change-address'] as const) {
      expect(await limits.countMail(kind, KEY)).toBe(true);
    }
    expect(await limits.countMail('reset', 'bob@example.com')).toBe(true);
    expect(await limits.countMail('reset', KEY)).toBe(false);
  });

  it('count links that administrators send apart from those of strangers, and say when the next may be', async () => {
    const limits = limitsWith();
    for (let sent = 0; sent < 6; sent++) {
      await limits.countMail('reset', KEY);
      move(MINUTE);
    }
    for (const sent of times(5)) {
      await limits.countSentLink(KEY);
      await expect(limits.countSentLink(KEY)).rejects.toMatchObject({ code: 42900, retryAfter: 60 });
      await limits.countSentLink(`${sent}.${KEY}`);
      move(MINUTE);
    }
    const refused = await limits.countSentLink(KEY).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 42900 });
    expect((refused as { retryAfter: number }).retryAfter).toBeGreaterThan((23 * HOUR) / 1000);
    move(24 * HOUR);
    await limits.countSentLink(KEY);
  });

  it('let a user have ten notices of a kind in an hour, and tell of the next one once', async () => {
    const limits = limitsWith();
    for (let sent = 0; sent < 10; sent++) {
      expect(await limits.countNotice('factor-changed', 7)).toBe(true);
    }
    await expect(limits.countNotice('factor-changed', 7)).rejects.toThrow('10 of them within an hour');
    expect(await limits.countNotice('factor-changed', 7)).toBe(false);
    expect(await limits.countNotice('password-changed', 7)).toBe(true);
    expect(await limits.countNotice('factor-changed', 8)).toBe(true);
    move(HOUR);
    expect(await limits.countNotice('factor-changed', 7)).toBe(true);
  });

  it.each<[string, (limits: MailLimits) => Promise<void>, number, number]>([
    ['requests for mails', (limits) => limits.countRequest(), 3, 3600],
    ['requests for login links', (limits) => limits.countRequest('login-link'), 3, 3600],
    ['codes of login links', (limits) => limits.countCode(), 60, 60],
  ])('refuse more %s of a network', async (_, count, most, seconds) => {
    const limits = limitsWith({ perHour: 3 });
    const codes = await Promise.all(
      times(most + 1).map((i) => codeOf(from(i % 2 ? '2001:db8::1' : '2001:db8::2', () => count(limits)))),
    );
    expect(codes).toEqual([...Array<number>(most).fill(0), 42900]);
    await expect(from('2001:db8::3', () => count(limits))).rejects.toMatchObject({ retryAfter: seconds });
    for (const other of ['2001:db8:0:1::1', '192.0.2.1', undefined]) {
      await from(other, () => count(limits));
    }
    move(seconds * 1000);
    await from('2001:db8::1', () => count(limits));
  });

  it('have a budget for mails, another for login links, and a third for codes', async () => {
    const limits = limitsWith({ perHour: 1 });
    const counted = async (count: () => Promise<void>) => [await codeOf(count()), await codeOf(count())];
    const codes = await from('192.0.2.1', async () => [
      await counted(() => limits.countRequest()),
      await counted(() => limits.countRequest('login-link')),
      await counted(() => limits.countCode()),
    ]);
    expect(codes.flat()).toEqual([0, 42900, 0, 42900, 0, 0]);
  });

  it('count in the store of the login throttle, which several instances share, by hashes', async () => {
    const stores = new Map<string, RateLimiterMemory>();
    const keys: string[] = [];
    const limiter = (options: LoginLimiterOptions) => {
      const store = stores.get(options.keyPrefix) ?? new RateLimiterMemory(options);
      stores.set(options.keyPrefix, store);
      const penalty = store.penalty.bind(store);
      store.penalty = (key, ...more) => {
        keys.push(String(key));
        return penalty(key, ...more);
      };
      return store;
    };
    const [first, second] = [limitsWith({ perHour: 2, limiter }), limitsWith({ perHour: 2, limiter })];
    const codes: number[] = [];
    for (const limits of [first, second, first]) {
      codes.push(await codeOf(from('192.0.2.1', () => limits.countRequest())));
    }
    expect(codes).toEqual([0, 0, 42900]);
    const counted = [await first.countMail('reset', KEY), await second.countMail('reset', KEY)];
    expect(counted).toEqual([true, false]);
    await second.countNotice('key-created', 4711);
    expect([...stores.keys()].sort()).toEqual(
      ['client', 'day', 'login-code', 'login-link', 'minute', 'notice'].map(
        (name) => `kit-auth:email:${name}`,
      ),
    );
    expect(keys.join()).not.toMatch(/example|192\.0|4711/);
  });
  it('need no store while kit-auth is switched off', () => {
    const limiter = () => {
      throw new Error('there is no Redis');
    };
    expect(() => limitsWith({ limiter, enabled: false })).not.toThrow();
    expect(() => limitsWith({ limiter })).toThrow('kit.auth.login.throttle.limiter fails');
  });
});
