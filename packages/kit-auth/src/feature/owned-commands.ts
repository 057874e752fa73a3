import type { AuthCommand, AuthCommandContext } from './commands/auth-command.js';
import type { AuthEvents } from '../contract/auth-events.js';
import {
  capitalized,
  type OwnedBelongings,
  type OwnedItem,
  type OwnershipRules,
} from './owned-belongings.js';

/** The commands `<many> list` and `<many> end` or `<many> remove` of `npx kit-auth`. */
export interface OwnedCommands<T> {
  readonly summaries: readonly [list: string, remove: string];
  /** Further sentences for the help of the removal. */
  readonly details: string;
  /** The columns of the list, by their titles. */
  readonly columns: Readonly<Record<string, (item: T) => string>>;
  /** The id that an argument means. Default: the argument. */
  readonly idFrom?: (text: string) => string;
  /** How a message names an unknown item. It must not repeat a secret. Default: the word and the id. */
  readonly nameOf?: (id: string) => string;
}

const JSON_OPTION = { type: 'boolean', description: 'print JSON' } as const;

export function commandsOf<T extends OwnedItem>(
  { one, many }: OwnershipRules<T>,
  verb: 'end' | 'remove',
  { summaries, details, columns, idFrom = (text) => text, nameOf = (id) => `${one} ${id}` }: OwnedCommands<T>,
  owned: OwnedBelongings<T>,
  events: AuthEvents,
): AuthCommand[] {
  const ended = verb === 'end' ? 'ended' : 'removed';
  const article = /^[aeiou]/.test(one) ? 'an' : 'a';
  const listing = `\`kit-auth ${many} list`;
  return [
    {
      name: `${many} list`,
      usage: '<username>',
      summary: summaries[0],
      options: { json: JSON_OPTION },
      async run({ args: [username], options, output, user, fail }: AuthCommandContext): Promise<undefined> {
        if (username === undefined) {
          return fail(`Name a user: kit-auth ${many} list <username>`, 2);
        }
        const items = await owned.listOf((await user(username)).id);
        if (options['json'] === true) {
          output.json(items);
        } else if (items.length === 0) {
          output.note(`${username} has no ${many}.`);
        } else {
          const rows = items.map((item) => Object.values(columns).map((cellOf) => cellOf(item)));
          output.table(Object.keys(columns), rows);
        }
        return undefined;
      },
    },
    {
      name: `${many} ${verb}`,
      usage: '<username> [<id>|--all]',
      summary: summaries[1],
      details: `${listing} <username>\` lists the ids. ${details}`,
      options: {
        all: { type: 'boolean', description: `${verb} all ${many} of the user` },
        json: JSON_OPTION,
      },
      async run({ args, options, output, user, fail }: AuthCommandContext): Promise<undefined> {
        const [username, argument] = args;
        if (username === undefined || (argument === undefined) === (options['all'] === undefined)) {
          return fail(
            `Name a user, and either the id of ${article} ${one} or --all: kit-auth ${many} ${verb} <username> <id>\n` +
              `${listing} <username>\` lists the ids.`,
            2,
          );
        }
        const { id: userId } = await user(username);
        const id = argument === undefined ? undefined : idFrom(argument);
        const items = await owned.listOf(userId);
        if (id !== undefined && !items.some((item) => item.id === id)) {
          return fail(`${username} has no ${nameOf(id)}. ${listing} ${username}\` lists the ${many}.`);
        }
        // Without items, a removal of factors would still end the sessions of the user.
        const removed =
          items.length === 0 ? [] : await owned.remove(events.begin(), { userId, username }, id);
        const ids = removed.map((item) => item.id);
        if (options['json'] === true) {
          output.json({ [ended]: ids });
        } else if (ids.length === 0) {
          output.note(`${username} has no ${many}.`);
        } else {
          output.line(
            `${capitalized(ended)} the ${ids.length === 1 ? one : many} ${ids.join(', ')} of ${username}.`,
          );
        }
        return undefined;
      },
    },
  ];
}
