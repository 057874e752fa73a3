import type { INestApplicationContext } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { factorsOptions, type ResolvedFactorsOptions } from './factors.options.js';
import { FactorStore } from './stores/factor.store.js';
import { SecretSealer } from './secrets/secret.sealer.js';
import { base32, codeOf, newSecret, stepAt } from './secrets/totp.js';

/** A device that `enrolFactor()` has added to a user. */
export interface TestFactor {
  readonly id: string;
  /** The secret in base32. */
  readonly secret: string;
  /** Ten codes, if this is the user's first device. */
  readonly recoveryCodes: readonly string[];
  /**
   * Returns a code that works now. If all current codes were used, it makes them usable again, so that tests do not
   * have to wait.
   */
  readonly code: () => Promise<string>;
}

/**
 * Adds a confirmed device to a user, without requests or events.
 *
 * @example
 * ```ts
 * const factor = await enrolFactor(app, user.id);
 * const { body } = await post('/v1/api/auth/login', { username, password }).expect(401); // 40112
 * await post('/v1/api/auth/login/factor', {
 *   challenge: body.challenge,
 *   factor: 'totp',
 *   code: await factor.code(),
 * }).expect(200);
 * ```
 */
export async function enrolFactor(
  app: Pick<INestApplicationContext, 'get'>,
  userId: UserId,
  { name = 'Test device' }: { readonly name?: string } = {},
): Promise<TestFactor> {
  const store = app.get(FactorStore, { strict: false });
  const sealer = app.get(SecretSealer, { strict: false });
  const { settings } = app.get<ResolvedFactorsOptions>(factorsOptions.token, { strict: false });
  const { window } = settings.totp;
  const secret = newSecret();
  const { id, recoveryCodes } = await store.change(userId, undefined, async (factors) => {
    const isFirst = (await factors.confirmed()).length === 0;
    const now = Date.now();
    const id = await factors.add({ name, secret: sealer.seal(secret, String(userId)), createdAt: now });
    await factors.confirm(id, null, now);
    return { id, recoveryCodes: isFirst ? await factors.renewRecoveryCodes(now) : [] };
  });
  const code = async () => {
    const now = stepAt(Date.now());
    const device = (await store.read(userId, (factors) => factors.confirmed())).find((row) => row.id === id);
    // Not an earlier step, which may no longer count when the code arrives.
    const next = Math.max((device?.lastStep ?? -Infinity) + 1, now);
    if (next <= now + window) {
      return codeOf(secret, next);
    }
    await store.change(userId, undefined, (factors) => factors.forgetSteps(id));
    return codeOf(secret, now);
  };
  return { id, secret: base32(secret), recoveryCodes, code };
}
