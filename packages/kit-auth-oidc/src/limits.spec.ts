import { beforeEach, describe, expect, it } from '@jest/globals';
import { Counters } from 'kit-auth/login';
import { freezeDate } from 'test-support';
import { OidcLimits } from './limits.js';

const client = (address: string) => ({ address, userAgent: undefined, hasLeft: () => false });
const TOO_MANY = { code: 42900 };

describe('the limits of logins with providers', () => {
  let limits: OidcLimits;
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    pass = freezeDate();
    limits = new OidcLimits(new Counters({ login: { throttle: false } } as never), { enabled: true });
    limits.onModuleInit();
  });

  it('are 60 attempts of a network in a minute', async () => {
    for (let i = 0; i < 60; i++) {
      await limits.countAttempt(client('203.0.113.9'));
    }
    await expect(limits.countAttempt(client('203.0.113.9'))).rejects.toMatchObject(TOO_MANY);
    await limits.countAttempt(client('198.51.100.7'));
    pass(60_000);
    await limits.countAttempt(client('203.0.113.9'));
  });

  it('are 20 logouts by a provider and network in a second, so that nobody uses up those of others', async () => {
    for (let i = 0; i < 20; i++) {
      await limits.countLogout('test', client('203.0.113.9'));
    }
    await expect(limits.countLogout('test', client('203.0.113.9'))).rejects.toMatchObject(TOO_MANY);
    await limits.countLogout('test', client('198.51.100.7'));
    await limits.countLogout('other', client('203.0.113.9'));
    pass(1000);
    await limits.countLogout('test', client('203.0.113.9'));
  });
});
