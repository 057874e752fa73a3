import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ADMIN_PASSWORD_KEY, allDefinitions, type OptionRow, PublicDefaults } from 'kit-auth/cli';
import { Option, Ports, type ResolvedOptions } from 'kit-auth/feature';
import { type Finding, type Passed, problem } from './diagnosis.js';

/** Placeholders for secrets in documents and templates. */
const PLACEHOLDER =
  /change[\W_]*(?:me|this|it)|replace[\W_]*(?:me|this|with)|do[\W_]*not[\W_]*use|your.{0,32}secret|placeholder|example|super[\W_]*secret/i;
const FEWEST_CHARACTERS = 6;
const LONGEST_UNIT = 16;

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
    ? { note: 'the secret of the implementation is checked once there is exactly one' }
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

/**
 * Returns why a secret is easy to guess, such as "is a sequence", without quoting it. Undefined for a secret
 * that may be random: a random one of 32 characters never has these properties.
 */
export function guessableBecause(secret: string): string | undefined {
  if (PLACEHOLDER.test(secret)) {
    return 'contains a placeholder, such as "change-me"';
  }
  if (new Set(secret).size < FEWEST_CHARACTERS) {
    return 'consists of very few different characters';
  }
  if (repeatsItself(secret)) {
    return 'repeats a few characters again and again';
  }
  return isSequence(secret) ? 'is a sequence, such as "0123456789"' : undefined;
}

/** The secret is a short string, repeated. The last repetition may be cut off. */
function repeatsItself(secret: string): boolean {
  const longest = Math.min(LONGEST_UNIT, Math.floor(secret.length / 2));
  return Array.from({ length: longest }, (_, i) => secret.slice(0, i + 1)).some(
    (unit) => unit.repeat(Math.ceil(secret.length / unit.length)).slice(0, secret.length) === secret,
  );
}

/** Most characters are the same as their neighbor, or follow it. */
function isSequence(secret: string): boolean {
  const steps = Array.from(secret.slice(1), (_, i) => secret.charCodeAt(i + 1) - secret.charCodeAt(i));
  return steps.filter((step) => Math.abs(step) <= 1).length > steps.length / 2;
}
