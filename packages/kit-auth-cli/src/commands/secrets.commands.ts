import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { report } from '../report.js';

/** More than the 32 bytes that a secret needs, and divisible by 3, so that base64 has no padding. */
const BYTES = 48;

export const secretCommand: CliCommand = {
  name: 'secret',
  usage: '',
  summary: 'Prints a new random secret.',
  details:
    'Set it as the environment variable KIT_AUTH_JWT_SECRET (kit-auth-jwt), KIT_AUTH_SESSION_SECRET (stateless sessions\n' +
    'of kit-auth-session) or KIT_AUTH_FACTORS_KEYS (kit-auth-factors). Use another secret for each of them, and for each\n' +
    'environment. Do not commit it. This command stores nothing, and needs no application.',
  options: { json: JSON_OPTION },
  async run(context) {
    const secret = randomBytes(BYTES).toString('base64url');
    report(context, secret, { secret });
  },
};

const GENERATORS = {
  EdDSA: () => generateKeyPairSync('ed25519').privateKey,
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
} satisfies Readonly<Record<string, () => KeyObject>>;
const NAMES = Object.keys(GENERATORS).join(', ');

const KID = /^[\w.-]{1,64}$/;

const STEPS =
  'Add it to the JSON list KIT_AUTH_JWT_KEYS, or to kit.auth.jwt.keys. It is a private key: do not commit it.\n' +
  'A rotation takes three deployments, and ends no login:\n' +
  '1. Add the key with "next": true. Every instance then accepts it, and none signs with it.\n' +
  '2. Put it first, without "next". It signs, and the key before it is still accepted.\n' +
  '3. When the last token of the old key has expired (kit.auth.jwt.expireMinutes), remove the old key.';

export const jwtKeyCommand: CliCommand = {
  name: 'jwt-key',
  usage: '',
  summary: 'Prints a new key pair for kit-auth-jwt.',
  details:
    'One line of JSON with the private key, for the list KIT_AUTH_JWT_KEYS (kit.auth.jwt.keys). The public key is a part of\n' +
    'it. The steps of a rotation follow on standard error. This command stores nothing, and needs no application.',
  options: {
    alg: { type: 'string', value: 'name', description: `the algorithm: ${NAMES}; EdDSA by default` },
    kid: { type: 'string', value: 'name', description: 'the name of the key; by default the day, in UTC' },
    json: JSON_OPTION,
  },
  async run({ options, output }) {
    const alg = algorithmOf((options['alg'] as string | undefined) ?? 'EdDSA');
    const kid = (options['kid'] as string | undefined) ?? today();
    if (!KID.test(kid)) {
      throw new CliError('A kid has 1 to 64 letters, digits, dots, hyphens and underscores.');
    }
    const key = { kid, alg, key: GENERATORS[alg]().export({ format: 'jwk' }) };
    if (options['json'] === true) {
      output.json(key);
    } else {
      output.line(JSON.stringify(key));
      output.note(STEPS);
    }
  },
};

function algorithmOf(name: string): keyof typeof GENERATORS {
  if (Object.hasOwn(GENERATORS, name)) {
    return name as keyof typeof GENERATORS;
  }
  throw new CliError(
    name === 'HS256'
      ? 'HS256 has no key pair. `npx kit-auth secret` prints a secret for it.'
      : `There is no algorithm "${name}" for keys. There are: ${NAMES}.`,
  );
}

/** `doctor` reads the age of a key in its name. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}
