import { registerAs } from '@nestjs/config';
import type { KitAuthOptions } from './kit-auth.options.js';
import { OPTION_TABLE, type OptionRow } from './option-table.js';
import { put } from './resolve-options.js';

/**
 * The options from the environment: `KitAuthModule.forRootAsync(kitAuthConfig.asProvider())`. A key is spelt
 * `KIT_AUTH_` and its words in capitals (`jwt.expireMinutes` is `KIT_AUTH_JWT_EXPIRE_MINUTES`); the white-list
 * is separated by commas. A value that cannot be read is passed on as it is, so that start-up names its key. A
 * variable that is set but empty counts as set: an empty secret must not become the placeholder.
 */
export const kitAuthConfig = registerAs('kit.auth', (): KitAuthOptions => {
  const options: Record<string, unknown> = {};
  for (const row of OPTION_TABLE) {
    const text = process.env[environmentName(row.key)];
    if (text !== undefined && row.kind !== 'function') {
      put(options, row.key, parse(row.kind, text));
    }
  }
  return options;
});

export function environmentName(key: string): string {
  return `KIT_AUTH_${key.replaceAll('.', '_').replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}

function parse(kind: Exclude<OptionRow['kind'], 'function'>, text: string): unknown {
  switch (kind) {
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'integer':
      return /^\d{1,15}$/.test(text) ? Number(text) : text;
    case 'list':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    case 'string':
      return text;
  }
}
