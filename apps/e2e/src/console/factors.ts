import { bodyOf, totpCode } from 'test-support';
import type { ConsoleApp } from './app.js';

export interface Enrolled {
  /** Of the device, in base32. */
  readonly secret: string;
  readonly recoveryCodes: string[];
}

/** Adds a device with an authenticator app to a user who has none. Its code of this moment is used up. */
export async function enrol(app: ConsoleApp, user: { username: string }): Promise<Enrolled> {
  const token = await app.tokenOf(user);
  const { json: device } = await app.call(token, 'POST', 'factors/totp', { name: 'Phone' });
  const code = totpCode(device.secret, Date.now());
  const answer = await app.call(token, 'POST', `factors/totp/${device.id}/confirm`, { code });
  return { secret: device.secret, recoveryCodes: bodyOf(answer).recoveryCodes };
}
