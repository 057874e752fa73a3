import { Injectable } from '@nestjs/common';
import type { AuthCommand, AuthCommandContext } from 'kit-auth';
import { dayOf } from 'kit-auth/extend';
import { type IdentityInfo, UserIdentities } from '../identities/user-identities.js';

/** `kit-auth identities list`. */
@Injectable()
export class IdentitiesListCommand implements AuthCommand {
  readonly name = 'identities list';
  readonly usage = '<username>';
  readonly summary = 'Lists the identities at providers with which a user logs in, oldest first.';
  readonly options = { json: { type: 'boolean', description: 'print JSON' } } as const;

  constructor(private readonly identities: UserIdentities) {}

  async run({ args: [username], options, output, user, fail }: AuthCommandContext): Promise<undefined> {
    if (username === undefined) {
      return fail('Name a user: kit-auth identities list <username>', 2);
    }
    const { id } = await user(username);
    const identities = await this.identities.listOf(id);
    if (options['json'] === true) {
      output.json(identities);
    } else if (identities.length === 0) {
      output.note(`${username} has no identities.`);
    } else {
      output.table(['ID', 'PROVIDER', 'ADDRESS', 'CREATED', 'LAST USED'], identities.map(rowOf));
    }
    return undefined;
  }
}

function rowOf({ id, provider, address, createdAt, lastUsedAt }: IdentityInfo): string[] {
  return [id, provider, address ?? '', dayOf(createdAt), dayOf(lastUsedAt)];
}
