import { Injectable } from '@nestjs/common';
import type { AuthCommand, AuthCommandContext } from 'kit-auth';
import { dayOf } from 'kit-auth/extend';
import { ApiKeys } from '../keys/api-keys.js';
import type { KeyInfo } from '../stores/stored-key.js';

/** `kit-auth keys list`. */
@Injectable()
export class KeysListCommand implements AuthCommand {
  readonly name = 'keys list';
  readonly usage = '<username>';
  readonly summary = 'Lists the live API keys of a user, oldest first.';
  readonly options = { json: { type: 'boolean', description: 'print JSON' } } as const;

  constructor(private readonly keys: ApiKeys) {}

  async run({ args: [username], options, output, user, fail }: AuthCommandContext): Promise<undefined> {
    if (username === undefined) {
      return fail('Name a user: kit-auth keys list <username>', 2);
    }
    const { id } = await user(username);
    const keys = await this.keys.listOf(id);
    if (options['json'] === true) {
      output.json(keys);
    } else if (keys.length === 0) {
      output.note(`${username} has no keys.`);
    } else {
      output.table(['ID', 'NAME', 'ABILITIES', 'CREATED', 'EXPIRES', 'LAST USED'], keys.map(rowOf));
    }
    return undefined;
  }
}

function rowOf({ id, name, abilities, createdAt, expiresAt, lastUsedAt }: KeyInfo): string[] {
  return [id, name, abilities.join(' ') || '-', dayOf(createdAt), dayOf(expiresAt), dayOf(lastUsedAt)];
}
