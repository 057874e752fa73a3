import { Injectable } from '@nestjs/common';
import {
  type AuthCommand,
  type AuthCommandContext,
  AuthErrorCode,
  AuthEvents,
  AuthException,
} from 'kit-auth';
import { ApiKeys, type KeyOwner } from '../keys/api-keys.js';
import { idOfKey, isKeyId } from '../keys/key-token.js';

/** `kit-auth keys end`. */
@Injectable()
export class KeysEndCommand implements AuthCommand {
  readonly name = 'keys end';
  readonly usage = '<username> [<id>|--all]';
  readonly summary = 'Ends an API key of a user, or all of them.';
  readonly details =
    '`kit-auth keys list <username>` lists the ids. To end a key that has leaked, you can pass the key itself.\n' +
    'With kit.auth.keys.cacheSeconds, running applications accept the key until they look it up again. Publishes the\n' +
    'event key-ended, as DELETE users/{id}/keys does.';
  readonly options = {
    all: { type: 'boolean', description: 'end all keys of the user' },
    json: { type: 'boolean', description: 'print JSON' },
  } as const;

  constructor(
    private readonly keys: ApiKeys,
    private readonly events: AuthEvents,
  ) {}

  async run({ args, options, output, user, fail }: AuthCommandContext): Promise<undefined> {
    const [username, key] = args;
    if (username === undefined || (key === undefined) === (options['all'] === undefined)) {
      return fail(
        'Name a user, and either the id of a key or --all: kit-auth keys end <username> <id>\n' +
          '`kit-auth keys list <username>` lists the ids.',
        2,
      );
    }
    const { id: userId } = await user(username);
    const owner = { userId, username };
    const ended =
      key === undefined
        ? await this.keys.endAll(this.events.begin(), owner, 'kicked')
        : [await this.endOne(owner, idOfKey(key) ?? key, fail)];
    if (options['json'] === true) {
      output.json({ ended });
    } else if (ended.length === 0) {
      output.note(`${username} has no keys.`);
    } else {
      const keys = ended.length === 1 ? 'key' : 'keys';
      output.line(`Ended the ${keys} ${ended.join(', ')} of ${username}.`);
    }
    return undefined;
  }

  private async endOne(owner: KeyOwner, id: string, fail: AuthCommandContext['fail']): Promise<string> {
    try {
      await this.keys.end(this.events.begin(), owner, id, 'kicked');
      return id;
    } catch (error) {
      if (error instanceof AuthException && error.code === AuthErrorCode.NOT_FOUND) {
        // A string that is not an id may be a part of a key, so it is not shown.
        const which = isKeyId(id) ? `live key ${id}` : 'key of this id';
        return fail(
          `${owner.username} has no ${which}. \`kit-auth keys list ${owner.username}\` lists the keys.`,
        );
      }
      throw error;
    }
  }
}
