import { describe, expect, it } from '@jest/globals';
import { OriginRule } from './origin.rule.js';

const rule = new OriginRule(['https://front.example', 'http://localhost:5173']);

/** `pass`, or the reason, for a request to app.example over https. */
function outcomeOf(headers: readonly string[], host: string | undefined = 'app.example', protocol = 'https') {
  const rawHeaders = headers.flatMap((line) => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 2),
  ]);
  return rule.refusalOf({ rawHeaders, host, protocol }) ?? 'pass';
}

describe('the origin rule', () => {
  it.each([
    ['pass', ['Sec-Fetch-Site: same-origin']],
    ['pass', ['Sec-Fetch-Site: none']],
    ['unknown', ['Sec-Fetch-Site: none', 'Sec-Purpose: prefetch']],
    ['unknown', ['Sec-Fetch-Site: none', 'Purpose: prefetch']],
    ['pass', ['Sec-Fetch-Site: same-origin', 'Sec-Purpose: prefetch']],
    ['same-site', ['Sec-Fetch-Site: same-site', 'Sec-Purpose: prefetch']],
    ['pass', ['sec-fetch-site: same-origin', 'origin: null']],
    ['same-site', ['Sec-Fetch-Site: same-site']],
    ['cross-site', ['Sec-Fetch-Site: cross-site', 'Origin: https://app.example']],
    ['unknown', ['Sec-Fetch-Site: Same-Origin']],
    ['unknown', ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site']],
    ['unknown', []],
  ])('answers %s to %j', (outcome, headers) => {
    expect(outcomeOf(headers)).toBe(outcome);
  });

  it.each([
    ['pass', ['Origin: https://front.example', 'Sec-Fetch-Site: cross-site']],
    ['pass', ['Origin: http://localhost:5173']],
    ['origin', ['Origin: https://front.example', 'Origin: https://front.example']],
    [
      'origin',
      ['Origin: https://front.example', 'Origin: https://evil.example', 'Sec-Fetch-Site: same-origin'],
    ],
    ['origin', ['Origin: https://Front.example']],
    ['origin', ['Origin: https://front.example.evil.example']],
  ])('lets exactly the origins of the application pass: %s to %j', (outcome, headers) => {
    expect(outcomeOf(headers)).toBe(outcome);
  });

  it.each([
    ['https://app.example', 'app.example', 'https'],
    ['https://app.example', 'APP.example', 'https'],
    ['https://app.example', 'app.example:443', 'https'],
    ['https://app.example:8443', 'app.example:8443', 'https'],
    ['https://app.example', 'app.example', 'http'],
    ['http://app.example', 'app.example:80', 'http'],
    ['http://[::1]:3000', '[::1]:3000', 'http'],
  ])('lets %s pass to the host %s over %s', (origin, host, protocol) => {
    expect(outcomeOf([`Origin: ${origin}`], host, protocol)).toBe('pass');
  });

  it.each([
    ['http://app.example', 'app.example', 'https'],
    ['https://app.example', 'app.example:8443', 'https'],
    ['https://app.example', 'app.example:80', 'http'],
    ['http://app.example', 'app.example:443', 'http'],
    ['https://app.example', 'app.example.', 'https'],
    ['https://user@app.example', 'app.example', 'https'],
    ['https://sub.app.example', 'app.example', 'https'],
    ['ftp://app.example', 'app.example', 'https'],
    ['https://undefined', undefined, 'https'],
  ])('refuses %s at the host %s over %s', (origin, host, protocol) => {
    const rawHeaders = ['Origin', origin];
    expect(rule.refusalOf({ rawHeaders, host, protocol })).toBe('origin');
  });
});
