import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import type { HttpAdapterHost } from '@nestjs/core';
import type { AuthEvents, KitAuthSettings } from 'kit-auth';
import { BrowserTransport } from './browser.transport.js';
import { browserOptions } from './browser.options.js';
import { BrowserCookies } from './cookies.js';
import { CrossOrigin } from './cross-origin.js';
import { UpgradeGuard } from './upgrade.guard.js';

const COOKIE = 'Cookie: __Host-kit-auth=a.b-c';

function transportOf(): BrowserTransport {
  const options = browserOptions.resolve({ origins: ['https://front.example'] });
  const events = { begin: () => ({ note: () => undefined }) } as unknown as AuthEvents;
  const settings = { tokenHeader: 'Authorization' } as KitAuthSettings;
  return new BrowserTransport(
    new BrowserCookies(options),
    new CrossOrigin(options, events),
    settings,
    options,
  );
}

/** A request to app.example, with these header lines. */
function requestWith(...lines: string[]) {
  const pairs = ['Host: app.example', ...lines].map((line) => line.split(': ') as [string, string]);
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  return { method: 'GET', url: '/live', headers, rawHeaders: pairs.flat() };
}

describe('a login', () => {
  const admit = (body: unknown) =>
    transportOf().admit({
      ...requestWith('Sec-Fetch-Site: same-origin'),
      method: 'POST',
      body,
    });

  it.each([1, 0, 'true', '', null, {}, []])('cannot be remembered with %j', (remember) => {
    expect(() => admit({ remember })).toThrow(
      expect.objectContaining({ code: 40000, message: '"remember" must be true or false' }),
    );
  });

  it.each([undefined, null, 'remember', [], {}, { remember: true }, { remember: false }])(
    'may have the body %j',
    (body) => expect(() => admit(body)).not.toThrow(),
  );

  it('is not remembered by what its body inherits', () => {
    expect(() => admit(Object.create({ remember: 1 }))).not.toThrow();
  });
});

describe('an upgrade', () => {
  /** What the client gets, or `passed on` where the listeners of the server get the upgrade. */
  function answerTo(...lines: string[]): string {
    const server = new EventEmitter();
    const listener = jest.fn();
    server.on('upgrade', listener);
    const host = { httpAdapter: { getHttpServer: () => server } } as unknown as HttpAdapterHost;
    new UpgradeGuard(transportOf(), host, { enabled: true } as KitAuthSettings).onModuleInit();
    const socket = new PassThrough();
    server.emit('upgrade', requestWith(...lines), socket, Buffer.alloc(0));
    const answer = String(socket.read() ?? '');
    expect(listener).toHaveBeenCalledTimes(answer === '' ? 1 : 0);
    return answer === '' ? 'passed on' : answer;
  }

  it.each([
    ['origin', ['Origin: https://evil.example']],
    ['unknown', []],
    ['origin', ['Origin: https://evil.example', 'Authorization: Basic dTpw']],
  ])('with a cookie is refused as %s for %j', (reason, lines) => {
    const [head, body] = answerTo(COOKIE, ...lines).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(JSON.parse(body!)).toMatchObject({ code: 40302, error: 'CROSS_ORIGIN', reason });
  });

  it.each([
    [[COOKIE, 'Origin: http://app.example']],
    [[COOKIE, 'Origin: http://app.example', 'Authorization: Basic dTpw']],
    [['Cookie: other=1', 'Origin: https://evil.example']],
    [['Origin: https://evil.example', 'Authorization: Basic dTpw']],
  ])('goes to the listeners of the server with %j', (lines) => expect(answerTo(...lines)).toBe('passed on'));
});
