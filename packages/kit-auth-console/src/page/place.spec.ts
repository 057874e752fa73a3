import { describe, expect, it } from '@jest/globals';
import { baseOf, segmentsBelow, wayTo } from './place.js';

describe('the place of the page', () => {
  it.each([
    ['/admin', '/admin/'],
    ['/admin?a=/b/c', '/admin/'],
    ['/admin#/b/c', '/admin/'],
    ['/admin/users', '/admin/'],
    ['/admin//users', '/admin/'],
    ['/ADMIN/users', '/ADMIN/'],
  ])('is where the browser is with %s', (url, expected) => {
    const base = baseOf(segmentsBelow(url, '/admin')!, '/admin')!;
    expect(new URL(base, new URL(url, 'https://app.example')).pathname).toBe(expected);
  });

  it.each(['//admin/users', 'http://app.example/admin/users'])('is not known with %s', (url) => {
    expect(segmentsBelow(url, '/admin')).toBeUndefined();
  });

  it('has a limit, and is no longer than the path', () => {
    expect(baseOf(segmentsBelow(`/admin${'/x'.repeat(8)}`, '/admin')!, '/admin')).toBe('../'.repeat(7));
    expect(baseOf(segmentsBelow(`/admin${'/x'.repeat(9)}`, '/admin')!, '/admin')).toBeUndefined();
  });

  it.each([
    ['/auth-console', '/', '../'],
    ['/api/auth-console', '/api/', '../'],
    ['/auth-console', '/api/', '../api/'],
    ['/api', '/api/', './'],
    ['/api/v2/console', '/api/v3/x/', '../../v3/x/'],
  ])('%s is on the way to %s', (path, folder, expected) => {
    expect(wayTo(folder, path)).toBe(expected);
    expect(new URL(expected, `https://app.example${path}/`).pathname).toBe(folder);
  });
});
