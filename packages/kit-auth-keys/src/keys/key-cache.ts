import { Inject, Injectable } from '@nestjs/common';
import type { ResolvedLogin } from 'kit-auth';
import { ShortCache } from 'kit-auth/extend';
import { keysOptions, type ResolvedKeysOptions } from '../config/keys.options.js';

/** Logins of keys, by the hash of the key. */
@Injectable()
export class KeyCache extends ShortCache<string, CachedKey> {
  constructor(@Inject(keysOptions.token) { settings }: ResolvedKeysOptions) {
    super(settings.cacheSeconds * 1000);
  }
}

export interface CachedKey {
  readonly login: ResolvedLogin;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}
