import type { DynamicModule } from '@nestjs/common';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { KitAuthSessionModule, type KitAuthSessionOptions } from 'kit-auth-session';
import { BOTH } from './platforms.js';
import { pairsOf } from './sweep.js';

export type Import = NonNullable<DynamicModule['imports']>[number];

/** The authentication implementations that every test of the core runs with. Add yours here. */
export const PROVIDERS = {
  jwt: () => KitAuthJwtModule,
  session: (options?: KitAuthSessionOptions) =>
    options === undefined ? KitAuthSessionModule : KitAuthSessionModule.forRoot(options),
} as const satisfies Record<string, (options?: KitAuthSessionOptions) => Import>;

export type ProviderName = keyof typeof PROVIDERS;

/** For `describe.each`: both platforms and each implementation. Every pair of them in a sweep. */
export const EVERYWHERE = pairsOf(BOTH, Object.keys(PROVIDERS) as ProviderName[]).map(
  ([platform, provider]) => ({ platform, provider }),
);
