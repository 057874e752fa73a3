import type { DynamicModule, Type } from '@nestjs/common';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { KitAuthSessionModule } from 'kit-auth-session';
import { BOTH } from './platforms.js';

/** Swapping one for another is changing one import. */
export const IMPLEMENTATIONS = {
  jwt: KitAuthJwtModule,
  session: KitAuthSessionModule,
} as const satisfies Record<string, Type | DynamicModule>;

export type Implementation = keyof typeof IMPLEMENTATIONS;

/** For `describe.each`: both platforms with both implementations. */
export const EVERYWHERE = BOTH.flatMap((platform) =>
  (Object.keys(IMPLEMENTATIONS) as Implementation[]).map((implementation) => ({ platform, implementation })),
);
