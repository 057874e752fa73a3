import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { ALL_BUT_DATE, type Answer, BOTH, sharedTestApp, sweepOf } from 'test-support';
import { FIVE_WRONG, ThrottledApp } from './throttled-app.js';

const later = (seconds: number) => jest.setSystemTime(Date.now() + seconds * 1000);

describe.each(sweepOf(BOTH, ['express']))('the login throttle on %s', (platform) => {
  const app = sharedTestApp(new ThrottledApp({ platform, trustProxy: true }));
  let networks = 0;
  /** An address that no test has used. */
  const newAddress = () => `192.0.${++networks}.1`;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_DATE] });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await app.throttle.unlock('ada');
    later(1000); // for what was unlocked to be forgotten
    jest.useRealTimers();
  });

  /** An address that ada logged in from. */
  const newHome = async () => {
    const address = newAddress();
    expect(await app.try('ada', 'right', address)).toBe(200);
    return address;
  };
  const lockFromElsewhere = async (username: string) => {
    expect(await app.guess(5, username, newAddress())).toEqual(FIVE_WRONG);
  };
  const wrong = async (username: string, from: string) => {
    const { status, headers, text } = await app.login(username, 'wrong', `X-Forwarded-For: ${from}`);
    return { status, text, headers: { ...headers, date: '' } } satisfies Partial<Answer>;
  };

  describe('tells nobody without the right password', () => {
    it('whether an account exists or was ever used here, when the address is locked', async () => {
      const home = await newHome();
      for (let i = 0; i < 5; i++) {
        expect(await app.try(`name-${i}`, 'wrong', home)).toBe(40110);
      }
      const [known, existing, unknown] = await Promise.all(
        ['ada', 'Ada', 'nobody'].map((name) => wrong(name, home)),
      );
      expect(known).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
      expect([existing, unknown]).toEqual([known, known]);
      expect(await app.try('ada', 'right', home)).toBe(200);
    });

    it('when the account is locked', async () => {
      const home = await newHome();
      for (const name of ['ada', 'off', 'nobody']) {
        await lockFromElsewhere(name);
      }
      const [known, existing, unknown] = await Promise.all(
        ['ada', 'off', 'nobody'].map((name) => wrong(name, home)),
      );
      expect(known).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
      expect([existing, unknown]).toEqual([known, known]);
      expect(await app.try('ada', 'right', home)).toBe(200);
    });

    it('by the time of the answer, which does not depend on the hash', async () => {
      const home = await newHome();
      await lockFromElsewhere('ada');
      const compare = jest.spyOn(bcrypt, 'compare');
      let end = (): void => undefined;
      const long = new Promise<boolean>((resolve) => {
        end = () => resolve(false);
      });
      for (const hash of [Promise.resolve(false), long]) {
        compare.mockImplementationOnce((() => hash) as never);
        const began = performance.now();
        expect(await app.try('ada', 'wrong', home)).toBe('42900 after 1');
        expect(performance.now() - began).toBeGreaterThan(140);
      }
      expect(compare).toHaveBeenCalledTimes(2);
      end();
    });

    it('by how a known device counts for its address and its account', async () => {
      const homes = [await newHome(), await newHome()] as const;
      const outcomes = async (username: string, home: string) => {
        const other = newAddress();
        return [
          await app.guess(3, username, home),
          await app.guess(1, username, other),
          await app.guess(3, username, home),
          await app.guess(1, username, newAddress()),
          await app.guess(2, `${username}2`, home),
        ];
      };
      expect(await outcomes('ada', homes[0])).toEqual(await outcomes('nobody3', homes[1]));
    });
  });

  it('checks five of twenty parallel guesses from a known device', async () => {
    const home = await newHome();
    const compare = jest.spyOn(bcrypt, 'compare');
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => app.try('ada', 'wrong', home)));
    expect(outcomes.filter((outcome) => outcome === 40110)).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === '42900 after 1')).toHaveLength(15);
    expect(compare).toHaveBeenCalledTimes(5);
  });

  it('checks five of twenty parallel guesses from a known device at a locked account', async () => {
    const home = await newHome();
    await lockFromElsewhere('ada');
    const compare = jest.spyOn(bcrypt, 'compare');
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => app.try('ada', 'wrong', home)));
    expect(new Set(outcomes)).toEqual(new Set(['42900 after 1']));
    expect(compare).toHaveBeenCalledTimes(5);
    expect(await app.try('ada', 'right', home)).toBe('42900 after 1');
    later(1);
    expect(await app.try('ada', 'right', home)).toBe(200);
  });

  it('forgets the failures of an owner after each success, also for the address', async () => {
    const home = newAddress();
    for (let i = 0; i < 4; i++) {
      expect(await app.guess(4, 'ada', home)).toEqual([40110, 40110, 40110, 40110]);
      expect(await app.try('ada', 'right', home)).toBe(200);
    }
    expect(await app.guess(5, 'nobody4', home)).toEqual(FIVE_WRONG);
  });

  it('does not let concurrent successful logins offset guesses at others', async () => {
    const home = await newHome();
    const outcomes: (number | string)[] = [];
    for (let i = 0; i < 6; i++) {
      outcomes.push(...(await app.guess(1, `name3-${i}`, home)));
      const own = await Promise.all(Array.from({ length: 3 }, () => app.try('ada', 'right', home)));
      expect(own).toEqual([200, 200, 200]);
    }
    expect(outcomes).toEqual([...FIVE_WRONG, '42900 after 1']);
  });

  it('counts passwords that cannot be right for the address only', async () => {
    const [long, name] = ['x'.repeat(73), `ada${'\u200b'.repeat(300)}`];
    for (let i = 0; i < 6; i++) {
      expect(await app.try('ada', long, newAddress())).toBe(40110);
      expect(await app.try(name, 'right', newAddress())).toBe(40110);
    }
    expect(await app.throttle.lockedUntil('ada')).toBeNull();
    const address = newAddress();
    for (let i = 0; i < 5; i++) {
      expect(await app.try('ada', long, address)).toBe(40110);
    }
    expect(await app.try('ada', long, address)).toBe('42900 after 1');
  });

  describe('lets an account that is unlocked in at once', () => {
    const unlock = async () => {
      expect((await app.throttle.lockedUntil('ada'))!.getTime()).toBeGreaterThan(Date.now());
      await app.throttle.unlock('Ada');
      expect(await app.throttle.lockedUntil('ada')).toBeNull();
    };

    it('from the known device that it was mistyped at', async () => {
      const home = await newHome();
      expect(await app.guess(6, 'ada', home)).toEqual([...FIVE_WRONG, '42900 after 1']);
      await unlock();
      expect(await app.try('ada', 'right', home)).toBe(200);
    });

    it('from an address that it never logged in from, however long that is locked, and nobody else', async () => {
      const address = newAddress();
      for (let i = 0; i < 12; i++) {
        expect(await app.guess(1, 'ada', address)).toEqual([40110]);
        later(2 ** Math.max(0, i - 4));
      }
      await app.guess(1, 'ada', address);
      expect(await app.try('ada', 'right', address)).toBe('42900 after 256');
      await unlock();
      expect(await app.try('nobody5', 'right', address)).toBe('42900 after 256');
      expect(await app.try('ada', 'wrong', address)).toBe('42900 after 256');
      expect(await app.try('ada', 'right', address)).toBe(200);
      expect(await app.try('off', 'right', address)).toBe('42900 after 256');
    });

    it('from a known device that others locked the account for, and that was locked out itself', async () => {
      const home = await newHome();
      await lockFromElsewhere('ada');
      await app.guess(6, 'ada', home);
      expect(await app.try('ada', 'right', home)).toBe('42900 after 1');
      await unlock();
      expect(await app.try('ada', 'right', home)).toBe(200);
    });

    it('also if a known device is locked out at a locked address', async () => {
      const home = await newHome();
      for (let i = 0; i < 6; i++) {
        await app.try(`name2-${i}`, 'wrong', home);
      }
      expect(await app.guess(5, 'ada', home)).toEqual(Array(5).fill('42900 after 1'));
      expect(await app.try('ada', 'right', home)).toBe('42900 after 1');
      await unlock();
      expect(await app.try('ada', 'right', home)).toBe(200);
    });
  });
});
