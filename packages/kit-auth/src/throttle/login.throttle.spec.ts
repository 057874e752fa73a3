import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AnswerTime } from './login.throttle.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const after = <T>(milliseconds: number, result: T) =>
  new Promise<T>((resolve) => setTimeout(resolve, milliseconds, result));

/** What is answered, and after how many milliseconds. */
async function answerOf(time: AnswerTime, look: () => Promise<string | undefined>, mayBeLate = false) {
  const began = performance.now();
  let answered = NaN;
  const answer = time
    .within(look, () => mayBeLate)
    .finally(() => {
      answered = performance.now() - began;
    });
  await jest.advanceTimersByTimeAsync(10_000);
  return [await answer, answered];
}

describe('AnswerTime', () => {
  it('answers nothing at one time, whether a look took no time, some, or too long', async () => {
    const time = new AnswerTime();
    for (const took of [0, 1, 250, 599, 700, 9000]) {
      expect(await answerOf(time, () => after(took, undefined))).toEqual([undefined, 600]);
    }
    expect(await answerOf(time, () => after(700, 'right'))).toEqual([undefined, 600]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('answers what is found at once', async () => {
    expect(await answerOf(new AnswerTime(), () => after(100, 'right'))).toEqual(['right', 100]);
  });

  it('waits for a look that may be late, but not for ever', async () => {
    const time = new AnswerTime();
    expect(await answerOf(time, () => after(100, undefined), true)).toEqual([undefined, 600]);
    expect(await answerOf(time, () => after(2000, 'right'), true)).toEqual(['right', 2000]);
    expect(await answerOf(time, () => after(2000, undefined), true)).toEqual([undefined, 2000]);
    expect(await answerOf(time, () => after(9000, 'right'), true)).toEqual([undefined, 3600]);
  });

  it('is full while 10,000 answers wait', async () => {
    const time = new AnswerTime();
    const answers = Array.from({ length: 9999 }, () =>
      time.within(
        async () => undefined,
        () => false,
      ),
    );
    expect(time.isFull).toBe(false);
    answers.push(
      time
        .within(
          () => Promise.reject(new Error('wrong')),
          () => false,
        )
        .catch(() => undefined),
    );
    expect(time.isFull).toBe(true);
    await jest.advanceTimersByTimeAsync(599);
    expect(time.isFull).toBe(false); // one has ended
    await jest.advanceTimersByTimeAsync(1);
    await Promise.all(answers);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('follows the slowest check of late, within bounds', async () => {
    const time = new AnswerTime();
    const check = async (took: number, times = 1) => {
      for (let i = 0; i < times; i++) {
        const checked = time.of(() => after(took, true));
        await jest.advanceTimersByTimeAsync(took);
        expect(await checked).toBe(true);
      }
    };
    const answerMs = async () => (await answerOf(time, async () => undefined))[1];
    await check(500);
    expect(await answerMs()).toBe(1500);
    await check(10);
    expect(await answerMs()).toBe(1200);
    await check(10, 50);
    expect(await answerMs()).toBe(150);
    await check(5000);
    expect(await answerMs()).toBe(3000);
  });

  it('learns from checks that fail, too', async () => {
    const time = new AnswerTime();
    const failed = time.of(() => after(400, 0).then(() => Promise.reject(new Error('wrong'))));
    const outcome = expect(failed).rejects.toThrow('wrong');
    await jest.advanceTimersByTimeAsync(400);
    await outcome;
    expect((await answerOf(time, async () => undefined))[1]).toBe(1200);
  });
});
