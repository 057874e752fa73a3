import { Inject } from '@nestjs/common';
import { KitAuthContext, type Principal } from 'kit-auth';
import { badRequest, type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import { keysApi } from './keys.api.js';
import { keysOptions, type KeysSettings, type ResolvedKeysOptions } from './keys.options.js';
import type { IssuedKey } from './keys/api-keys.js';
import { KeyCreation } from './keys/key-creation.js';

/** The limit if keys may also be unlimited: a hundred years. */
const MAX_DAYS = 36_500;

/** API keys cannot call these endpoints. */
@KitAuthController()
export class KitAuthKeysController {
  constructor(
    @Inject(keysOptions.token) private readonly options: ResolvedKeysOptions,
    private readonly creation: KeyCreation,
    private readonly context: KitAuthContext,
  ) {}

  @Endpoint(keysApi, 'POST keys')
  async create({ body }: Call<typeof keysApi, 'POST keys'>): Promise<IssuedKey> {
    const login = this.context.principal() as Principal;
    return this.creation.create(login, { ...body, days: daysOf(body.days, this.options.settings) });
  }
}

/** @throws AuthException 40000 */
function daysOf(given: unknown, { defaultDays, maxDays }: KeysSettings): number | null {
  const isUnlimited = maxDays === 'unlimited';
  const max = isUnlimited ? MAX_DAYS : maxDays;
  const days = given === undefined ? defaultDays : given;
  if (days === null && isUnlimited) {
    return null;
  }
  if (typeof days !== 'number' || !Number.isInteger(days) || days < 1 || days > max) {
    throw badRequest(`"days" must be a whole number from 1 to ${isUnlimited ? `${MAX_DAYS}, or null` : max}`);
  }
  return days;
}
