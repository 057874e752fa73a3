import { randomBytes } from 'node:crypto';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';

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
  async run({ options, output }) {
    const secret = randomBytes(BYTES).toString('base64url');
    if (options['json'] === true) {
      output.json({ secret });
    } else {
      output.line(secret);
    }
  },
};
