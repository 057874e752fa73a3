import { expect, it } from '@jest/globals';
import type { LoginEnd } from '../contract/login-end.js';
import { LoginEnds } from './login-ends.js';
import type { Ports } from './ports.js';

const end: LoginEnd = { userId: 7, loginId: 'l', reason: 'kicked' };
const endsFor = (...heard: LoginEnd[][]) => {
  const endListeners = heard.map((list) => ({ ended: (ended: LoginEnd) => void list.push(ended) }));
  return new LoginEnds({ endListeners } as unknown as Ports);
};

it('the end of a login is told to each listener, which cannot change it', () => {
  const [first, second]: [LoginEnd[], LoginEnd[]] = [[], []];
  endsFor(first, second).note(end);
  expect([first, second]).toEqual([[end], [end]]);
  expect([first[0], end].map(Object.isFrozen)).toEqual([true, false]);
});

it('the end of a login may be heard by nobody', () => {
  expect([endsFor().areHeard, endsFor([]).areHeard]).toEqual([false, true]);
  expect(() => endsFor().note(end)).not.toThrow();
});
