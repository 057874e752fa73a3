import { Injectable } from '@nestjs/common';
import type { AuthCommand, AuthCommandContext } from 'kit-auth';
import { dayOf } from 'kit-auth/extend';
import { type PasskeyInfo, UserPasskeys } from '../account/user-passkeys.js';

/** `kit-auth passkeys list`. */
@Injectable()
export class PasskeysListCommand implements AuthCommand {
  readonly name = 'passkeys list';
  readonly usage = '<username>';
  readonly summary = 'Lists the passkeys of a user, oldest first.';
  readonly options = { json: { type: 'boolean', description: 'print JSON' } } as const;

  constructor(private readonly passkeys: UserPasskeys) {}

  async run({ args: [username], options, output, user, fail }: AuthCommandContext): Promise<undefined> {
    if (username === undefined) {
      return fail('Name a user: kit-auth passkeys list <username>', 2);
    }
    const { id } = await user(username);
    const passkeys = await this.passkeys.listOf(id);
    if (options['json'] === true) {
      output.json(passkeys);
    } else if (passkeys.length === 0) {
      output.note(`${username} has no passkeys.`);
    } else {
      output.table(['ID', 'NAME', 'DEVICES', 'BACKED UP', 'CREATED', 'LAST USED'], passkeys.map(rowOf));
    }
    return undefined;
  }
}

function rowOf({ id, name, deviceType, backedUp, createdAt, lastUsedAt }: PasskeyInfo): string[] {
  return [id, name, deviceType, backedUp ? 'yes' : 'no', dayOf(createdAt), dayOf(lastUsedAt)];
}
