import { describe, expect, it } from '@jest/globals';
import { isInRange } from './installation.checks.js';

describe('isInRange', () => {
  it.each([
    ['^11.0.0 || ^12.0.0', ['11.0.0', '11.1.28', '12.5.0'], ['10.9.9', '13.0.0']],
    ['^20.19.0 || ^22.12.0 || >=24.0.0', ['20.19.0', '22.12.1', '25.1.0'], ['20.18.9', '22.11.0', '23.5.0']],
    ['^0.3.20 || ^1.0.0', ['0.3.20', '0.3.27', '1.1.1'], ['0.3.19', '0.4.0', '2.0.0']],
    ['>= 1.2.3 < 2.0.0', ['1.2.3'], ['2.0.0']],
    ['1.0.0 - 2.0.0', ['1.2.3'], ['2.0.1']],
    ['', ['0.0.0'], []],
  ])('%s', (range, inside, outside) => {
    expect(inside.filter((version) => isInRange(version, range) !== true)).toEqual([]);
    expect(outside.filter((version) => isInRange(version, range) !== false)).toEqual([]);
  });

  it('takes a pre-release for its release', () => {
    expect(isInRange('12.0.0-next.1', '^12.0.0')).toBe(true);
    expect(isInRange('12.1.0', '^12.0.0-next.1')).toBe(true);
  });

  it.each(['latest', 'file:../kit-auth', 'workspace:*'])('does not judge %s', (range) => {
    expect(isInRange('1.2.3', range)).toBeUndefined();
  });

  it('does not judge a version in another form', () => {
    expect(isInRange('next', '^1.0.0')).toBeUndefined();
  });
});
