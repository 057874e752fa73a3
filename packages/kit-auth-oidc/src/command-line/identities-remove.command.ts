import { Injectable } from '@nestjs/common';
import { type AuthCommand, type AuthCommandContext, AuthEvents } from 'kit-auth';
import { IdentityRemovals } from '../administration/identity.removals.js';
import { UserIdentities } from '../identities/user-identities.js';

/** `kit-auth identities remove`. */
@Injectable()
export class IdentitiesRemoveCommand implements AuthCommand {
  readonly name = 'identities remove';
  readonly usage = '<username> [<id>|--all]';
  readonly summary = 'Removes an identity of a user, or all of them.';
  readonly details =
    '`kit-auth identities list <username>` lists the ids. The sessions of the user end. Publishes the event identity-removed,\n' +
    'as DELETE users/{id}/identities does. A user without a password can then no longer log in.';
  readonly options = {
    all: { type: 'boolean', description: 'remove all identities of the user' },
    json: { type: 'boolean', description: 'print JSON' },
  } as const;

  constructor(
    private readonly identities: UserIdentities,
    private readonly removals: IdentityRemovals,
    private readonly events: AuthEvents,
  ) {}

  async run({ args, options, output, user, fail }: AuthCommandContext): Promise<undefined> {
    const [username, id] = args;
    if (username === undefined || (id === undefined) === (options['all'] === undefined)) {
      return fail(
        'Name a user, and either the id of an identity or --all: kit-auth identities remove <username> <id>\n' +
          '`kit-auth identities list <username>` lists the ids.',
        2,
      );
    }
    const { id: userId } = await user(username);
    const found = await this.identities.listOf(userId);
    if (id !== undefined && !found.some((identity) => identity.id === id)) {
      return fail(`${username} has no identity ${id}. \`kit-auth identities list ${username}\` lists them.`);
    }
    // Without identities, a removal would still end the sessions of the user.
    const removed =
      found.length === 0 ? [] : await this.removals.remove(this.events.begin(), { userId, username }, id);
    if (options['json'] === true) {
      output.json({ removed });
    } else if (removed.length === 0) {
      output.note(`${username} has no identities.`);
    } else {
      output.line(
        `Removed ${removed.length === 1 ? 'the identity' : 'the identities'} ${removed.join(', ')} of ${username}.`,
      );
    }
    return undefined;
  }
}
