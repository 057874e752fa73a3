import { registerAs } from '@nestjs/config';
import type { KitAuthOptions } from './kit-auth.options.js';
import { nearest } from './nearest.js';
import { OPTION_TABLE, type OptionRow } from './option-table.js';
import { put, WARNINGS } from './resolve-options.js';

/**
 * The options from the environment: `KitAuthModule.forRootAsync(kitAuthConfig.asProvider())`. A key is spelt
 * `KIT_AUTH_` and its words in capitals (`jwt.expireMinutes` is `KIT_AUTH_JWT_EXPIRE_MINUTES`); the white-list
 * is separated by commas. A value that cannot be read is passed on as it is, so that start-up names its key. A
 * variable that is set but empty counts as set: an empty secret must not become the placeholder. Start-up warns of other
 * variables that begin with `KIT_AUTH_`.
 */
export const kitAuthConfig = registerAs('kit.auth', (): KitAuthOptions => {
  const options: Record<string | symbol, unknown> = {};
  for (const { key, kind } of OPTION_TABLE) {
    const text = process.env[environmentName(key)];
    if (text !== undefined && kind !== 'function') {
      put(options, key, parse(kind, text));
    }
  }
  const warnings = unknownVariables();
  if (warnings.length > 0) {
    options[WARNINGS] = warnings;
  }
  return options;
});

/** A warning for each other variable of our prefix, which names the variable and never its value. */
function unknownVariables(): string[] {
  const kinds = new Map(OPTION_TABLE.map(({ key, kind }) => [environmentName(key), kind]));
  const names = [...kinds.keys()].filter((name) => kinds.get(name) !== 'function');
  // Windows finds a variable whatever the case of its name.
  const isRead = (name: string) => names.includes(process.platform === 'win32' ? name.toUpperCase() : name);
  return Object.keys(process.env)
    .filter((name) => /^KIT_AUTH_/i.test(name) && !isRead(name))
    .map((name) => {
      const what = `the environment variable ${name} is ignored`;
      if (kinds.has(name)) {
        return `${what}: its option is a function, which only code can give`;
      }
      const meant = nearest(name.toUpperCase(), names);
      return `${what}: there is no such option${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    });
}

export function environmentName(key: string): string {
  return `KIT_AUTH_${key.replaceAll('.', '_').replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}

function parse(kind: Exclude<OptionRow['kind'], 'function'>, text: string): unknown {
  switch (kind) {
    case 'boolean':
      return toBoolean(text);
    case 'integer':
      return toInteger(text);
    case 'boolean or integer':
      return toInteger(toBoolean(text));
    case 'list':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    case 'string':
      return text;
  }
}

function toBoolean(text: string): boolean | string {
  return text === 'true' ? true : text === 'false' ? false : text;
}

function toInteger<T>(text: T): T | number {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text;
}
