import { describe, expect, it } from '@jest/globals';
import { atOnce } from './at-once.js';
import { MemoryLogger } from './memory-logger.js';

describe('requests at once', () => {
  const logs = new MemoryLogger();
  const late = '[auth] the database of keys failed: DeadlineExceeded: it gave no answer in 900 ms';
  const deadlock = '[auth] the database of keys failed: Error: deadlock';

  it.each([50300, '50300', { json: { code: 50300 } }])('are sent again after %j', async (unavailable) => {
    let sent = 0;
    const answers = await atOnce([{ logs }], 3, async (i) => {
      logs.error(late, '');
      return sent++ < 4 ? unavailable : i;
    });
    expect([answers, sent]).toEqual([[0, 1, 2], 7]);
  });

  it('fail where the database failed for another reason, and are not sent again for ever', async () => {
    const failed = atOnce([{ logs }], 2, async (i) => {
      logs.error(deadlock, '');
      return i === 0 ? '50300' : '204';
    });
    await expect(failed).rejects.toThrow('deadlock');
    expect(await atOnce([{ logs }], 1, async () => 50300)).toEqual([50300]);
  });
});
