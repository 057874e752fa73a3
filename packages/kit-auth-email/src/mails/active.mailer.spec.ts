import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { KitAuthSettings } from 'kit-auth';
import type { Ports } from 'kit-auth/feature';
import { MemoryLogger } from 'test-support';
import { emailOptions } from '../email.options.js';
import type { AuthMailer } from './auth-mail.js';
import { ActiveMailer } from './active.mailer.js';

const LINKS = { reset: 'https://app.example/#{token}', verify: 'https://app.example/#{token}' };

describe('the mailer of an application that ends', () => {
  let logs: MemoryLogger;
  beforeEach(() => {
    jest.useFakeTimers();
    logs = new MemoryLogger();
    Logger.overrideLogger(logs);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each<[string, AuthMailer['close'], string[]]>([
    ['has nothing to close', undefined, []],
    ['closes', () => undefined, []],
    ['fails to close', () => Promise.reject(new Error('not ann@example.com')), ['Error: not ...']],
    [
      'throws when it closes',
      () => {
        throw new Error('no');
      },
      ['Error: no'],
    ],
    ['hangs', () => new Promise(() => undefined), ['DeadlineExceeded: the mailer gave no answer in 1000 ms']],
  ])('does not keep it from ending when it %s', async (_, close, reasons) => {
    let closed = 0;
    const mailer = { send: async () => undefined, ...(close && { close: () => (closed++, close()) }) };
    const ports = { only: () => undefined } as unknown as Ports;
    const active = new ActiveMailer(ports, emailOptions.resolve({ links: LINKS, mailer }), {
      enabled: true,
    } as KitAuthSettings);
    active.onModuleInit();
    const end = active.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(1000);
    await end;
    expect(closed).toBe(close ? 1 : 0);
    expect(logs.ours()).toEqual(reasons.map((reason) => `warn [auth] the mailer was not closed: ${reason}`));
  });
});
