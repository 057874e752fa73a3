import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ALL_BUT_DATE, freezeDate, sharedTestApp, testApp } from 'test-support';
import { AuditCleaner } from './audit.cleaner.js';
import { AuditLog } from './audit.log.js';
import { AuthAudit } from './auth-audit.entity.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('AuditCleaner', () => {
  describe('with auditRetentionDays: 30', () => {
    const app = sharedTestApp({ admin: { auditRetentionDays: 30 } });

    it('keeps events for 30 days', async () => {
      const pass = freezeDate();
      await app.rowsOf(AuthAudit).save({ type: 'login', at: new Date(), success: true });
      pass(30 * DAY_MS);
      await app.get(AuditCleaner).clean();
      expect(await app.rowsOf(AuthAudit).count()).toBe(1);
      pass(1);
      await app.get(AuditCleaner).clean();
      expect(await app.rowsOf(AuthAudit).count()).toBe(0);
    });
  });

  describe('with timers', () => {
    const fakeTimers = () =>
      jest.useFakeTimers({
        doNotFake: ALL_BUT_DATE.filter((name) => name !== 'setTimeout' && name !== 'clearTimeout'),
      });
    const deletions = () => jest.spyOn(AuditLog.prototype, 'deleteBefore').mockResolvedValue(0);

    it('cleans within a minute of start-up, and not after shutdown', async () => {
      fakeTimers();
      const deleteBefore = deletions();
      const app = await testApp({ admin: true });
      expect(deleteBefore).not.toHaveBeenCalled();
      jest.advanceTimersByTime(MINUTE_MS);
      expect(deleteBefore).toHaveBeenCalledTimes(1);
      await app.close();
      jest.advanceTimersByTime(180 * MINUTE_MS);
      expect(deleteBefore).toHaveBeenCalledTimes(1);
    });

    it('does not clean while kit.auth.enabled is false', async () => {
      fakeTimers();
      const deleteBefore = deletions();
      await testApp({ admin: true, options: { enabled: false } });
      jest.advanceTimersByTime(180 * MINUTE_MS);
      expect(deleteBefore).not.toHaveBeenCalled();
    });
  });
});
