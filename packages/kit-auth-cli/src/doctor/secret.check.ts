import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ADMIN_PASSWORD_KEY, allDefinitions, type OptionRow, PublicDefaults } from 'kit-auth/cli';
import { Option, Ports, type ResolvedOptions } from 'kit-auth/extend';
import { type Finding, type Passed, problem } from './finding.js';
import { guessableBecause } from './guessable.js';

/**
 * Looks for secrets that are published in the source code, and for secrets that are easy to guess.
 * `checkAdministrator()` reports the password.
 */
export function checkSecret(app: INestApplication): Finding[] | Passed {
  const published = app
    .get(PublicDefaults)
    .options()
    .filter(({ key }) => key !== ADMIN_PASSWORD_KEY)
    .map(({ problem: text, cure }) => problem(`${text} Anyone can issue tokens with it.`, cure));
  const findings = [...published, ...guessableSecrets(app)];
  return findings.length === 0 && app.get(Ports).provider === undefined
    ? { note: 'that of the implementation is checked once there is exactly one' }
    : findings;
}

function guessableSecrets(app: INestApplication): Finding[] {
  const providers = app.get(DiscoveryService, { strict: false }).getProviders();
  return allDefinitions().flatMap(({ name, token, rows }) => {
    const resolved: unknown = providers.find((provider) => provider.token === token)?.instance;
    return resolved === undefined
      ? []
      : rows.flatMap((row) => findingsOf(row, secretsIn(resolved as ResolvedOptions<object>, row, name)));
  });
}

/** The values of an option, if it is a secret. */
function secretsIn({ settings }: ResolvedOptions<object>, { key, node }: OptionRow, name: string): string[] {
  if (!(node instanceof Option) || node.rules.isSecret !== true) {
    return [];
  }
  const path = key.slice(name.length + 1).split('.');
  const value = path.reduce<unknown>((group, part) => Reflect.get(Object(group), part), settings);
  return [value].flat().filter((secret) => typeof secret === 'string');
}

function findingsOf({ key, variable }: OptionRow, secrets: readonly string[]): Finding[] {
  return secrets.flatMap((secret, i) => {
    const reason = guessableBecause(secret);
    const which = secrets.length > 1 ? `${key} (number ${i + 1})` : key;
    return reason === undefined
      ? []
      : problem(
          `${which} is easy to guess: it ${reason}.`,
          `Set it, or ${variable}, to what "npx kit-auth secret" prints.`,
        );
  });
}
