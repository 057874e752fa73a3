import { afterEach, describe, expect, it } from '@jest/globals';
import { insecureProblem } from './secure-url.js';

const before = process.env['NODE_ENV'];
afterEach(() => {
  process.env['NODE_ENV'] = before;
});
const problemOf = (url: string) => insecureProblem(new URL(url));

describe('a secure URL', () => {
  it.each(['https://app.example', 'http://localhost:4200/a', 'http://127.0.0.1', 'http://[::1]:3000'])(
    'may be %s',
    (url) => expect(problemOf(url)).toBeUndefined(),
  );

  it.each(['http://app.example', 'http://localhost.evil.example', 'http://127.0.0.2', 'ftp://localhost'])(
    'must not be %s',
    (url) => expect(problemOf(url)).toBe('must be an https URL (http only for localhost)'),
  );

  it('has https in production, also for localhost', () => {
    process.env['NODE_ENV'] = 'production';
    expect(problemOf('http://localhost')).toBe('must be an https URL in production');
    expect(problemOf('https://localhost')).toBeUndefined();
  });
});
