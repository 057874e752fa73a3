import { Injectable } from '@nestjs/common';
import { type AuthCommand, type AuthCommandContext, AuthEvents } from 'kit-auth';
import { UserPasskeys } from '../account/user-passkeys.js';
import { PasskeyRemovals } from '../administration/passkey.removals.js';

/** `kit-auth passkeys remove`. */
@Injectable()
export class PasskeysRemoveCommand implements AuthCommand {
  readonly name = 'passkeys remove';
  readonly usage = '<username> [<id>|--all]';
  readonly summary = 'Removes a passkey of a user, or all of them.';
  readonly details =
    '`kit-auth passkeys list <username>` lists the ids. The sessions of the user end. Publishes the event passkey-removed,\n' +
    'as DELETE users/{id}/passkeys does. A user without a password can then no longer log in.';
  readonly options = {
    all: { type: 'boolean', description: 'remove all passkeys of the user' },
    json: { type: 'boolean', description: 'print JSON' },
  } as const;

  constructor(
    private readonly passkeys: UserPasskeys,
    private readonly removals: PasskeyRemovals,
    private readonly events: AuthEvents,
  ) {}

  async run({ args, options, output, user, fail }: AuthCommandContext): Promise<undefined> {
    const [username, id] = args;
    if (username === undefined || (id === undefined) === (options['all'] === undefined)) {
      return fail(
        'Name a user, and either the id of a passkey or --all: kit-auth passkeys remove <username> <id>\n' +
          '`kit-auth passkeys list <username>` lists the ids.',
        2,
      );
    }
    const { id: userId } = await user(username);
    const found = await this.passkeys.listOf(userId);
    if (id !== undefined && !found.some((passkey) => passkey.id === id)) {
      return fail(
        `${username} has no passkey ${id}. \`kit-auth passkeys list ${username}\` lists the passkeys.`,
      );
    }
    // Without passkeys, a removal would still end the sessions of the user.
    const removed =
      found.length === 0 ? [] : await this.removals.remove(this.events.begin(), { userId, username }, id);
    if (options['json'] === true) {
      output.json({ removed });
    } else if (removed.length === 0) {
      output.note(`${username} has no passkeys.`);
    } else {
      const passkeys = removed.length === 1 ? 'passkey' : 'passkeys';
      output.line(`Removed the ${passkeys} ${removed.join(', ')} of ${username}.`);
    }
    return undefined;
  }
}
