import { Inject, type InjectionToken, type Provider, type Type } from '@nestjs/common';
import { OWN_CHANGES } from '../account/own-changes.js';
import type { AuthCommand } from './commands/auth-command.js';
import { type AuthEventSink, ATTEMPT_EVENTS } from '../contract/auth-event.js';
import { AuthEvents } from '../contract/auth-events.js';
import { KitAuthController } from '../endpoints/controller.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { type Api, type EndpointDeclaration, type EndpointKey, handles } from '../endpoints/endpoint.js';
import {
  capitalized,
  OwnedBelongings,
  type OwnedItem,
  type OwnedStore,
  type OwnershipRules,
  PARTS,
} from './owned-belongings.js';
import { commandsOf, type OwnedCommands } from './owned-commands.js';
import { FLAG, list, type Schema, type ServerIn, type Shape, type WireIn } from '../endpoints/schema.js';

/** Things that users own, and the access to them. */
export interface BelongingsDefinition<
  T extends OwnedItem,
  One extends string,
  Many extends string,
> extends OwnershipRules<T> {
  readonly one: One;
  readonly many: Many;
  /** The verb in the names of endpoints and commands. */
  readonly verb: 'end' | 'remove';
  readonly store: InjectionToken<OwnedStore<T>>;
  /** An item in answers. */
  readonly view: Schema<T, unknown>;
  /** An item in answers to its owner. Default: `view`. */
  readonly ownView?: Schema;
  /** The summaries of the endpoints. */
  readonly summaries: {
    readonly listOwn: string;
    readonly removeOwn: string;
    readonly list: string;
    readonly removeAll: string;
    readonly remove: string;
  };
  /** The section of the console, such as `keys`. */
  readonly section?: string;
  /** Default: no commands. */
  readonly command?: OwnedCommands<T>;
}

type Declared<K extends string, Members = unknown> = { readonly [Key in K]: EndpointDeclaration & Members };
type Listing<View> = {
  readonly answer: Schema<readonly ServerIn<View>[], readonly WireIn<View>[]>;
};
/** The five endpoints of what users own. */
export type OwnedApi<One extends string, Many extends string, View, OwnView = View> = Declared<
  `GET ${Many}`,
  Listing<OwnView>
> &
  Declared<`DELETE ${Many}/{id}`, { readonly query: Shape }> &
  Declared<`GET users/{id}/${Many}`, Listing<View>> &
  Declared<`DELETE users/{id}/${Many}`> &
  Declared<`DELETE users/{id}/${Many}/{${One}Id}`>;

/** The value of `owned` in a manifest. */
export interface Belongings {
  readonly api: Api;
  readonly controllers: readonly Type<object>[];
  readonly providers: readonly Provider[];
  readonly sinks: readonly InjectionToken<AuthEventSink>[];
  readonly commands: readonly InjectionToken<AuthCommand>[];
}

/** The result of `belongings()`. */
export type BelongingsOf<T extends OwnedItem, OwnApi> = Omit<Belongings, 'api'> & {
  readonly api: OwnApi;
  /** Inject `OwnedBelongings` with it, for removals by your own code. */
  readonly token: InjectionToken<OwnedBelongings<T>>;
};

/**
 * Declares what users own, such as API keys: endpoints for owners and administrators, commands, and the removal with their user.
 * It is `owned` in the manifest. The endpoint that creates an item, and its event, are your own.
 *
 * @example
 * ```ts
 * export const ownedNotes = belongings({
 *   one: 'note',
 *   many: 'notes',
 *   verb: 'remove',
 *   store: NoteStore,
 *   view: object({ id: TEXT, title: NAME }),
 *   permissions: { read: 'auth:user:read', change: 'auth:user:write' },
 *   event: 'note-removed',
 *   detailOf: (removed) => removed.map(({ title }) => title).join(', '),
 *   summaries: {
 *     listOwn: "Lists the current user's notes",
 *     removeOwn: 'Removes a note of the current user',
 *     list: "Lists a user's notes",
 *     removeAll: 'Removes all notes of a user',
 *     remove: 'Removes a note of a user',
 *   },
 * });
 * ```
 */
export function belongings<
  T extends OwnedItem,
  const One extends string,
  const Many extends string,
  View extends Schema<T, unknown>,
  OwnView extends Schema = View,
>(
  definition: BelongingsDefinition<T, One, Many> & { readonly view: View; readonly ownView?: OwnView },
): BelongingsOf<T, OwnedApi<One, Many, View, OwnView>> {
  const { many, verb, store, command } = definition;
  const token = Symbol(many);
  const sink = Symbol(`${many} of deleted users`);
  const commands = Symbol(`commands of ${many}`);
  const api = apiOf(definition);
  return {
    api: api as OwnedApi<One, Many, View, OwnView>,
    token,
    controllers: controllersOf(definition, api as Api, token),
    providers: [
      {
        provide: token,
        useFactory: (...[of, ...parts]: PartsOf<T>) => new OwnedBelongings(definition, of, ...parts),
        inject: [store, ...PARTS],
      },
      {
        provide: sink,
        useFactory: (owned: OwnedBelongings<T>): AuthEventSink => ({
          ignores: ATTEMPT_EVENTS,
          keep: (event, transaction) => owned.keep(event, transaction),
        }),
        inject: [token],
      },
      {
        provide: commands,
        useFactory: (owned: OwnedBelongings<T>, events: AuthEvents) =>
          command === undefined ? [] : commandsOf(definition, verb, command, owned, events),
        inject: [token, AuthEvents],
      },
    ],
    sinks: [sink],
    commands: command === undefined ? [] : [commands],
  };
}

type PartsOf<T extends OwnedItem> =
  ConstructorParameters<typeof OwnedBelongings<T>> extends [unknown, ...infer Parts] ? Parts : never;

function apiOf<T extends OwnedItem>(definition: BelongingsDefinition<T, string, string>): unknown {
  const { one, many, verb, factor, permissions, summaries, section, view, ownView = view } = definition;
  const [Verb, One, Many] = [capitalized(verb), capitalized(one), capitalized(many)];
  const before = factor === undefined ? {} : ({ beforeEnrolment: true } as const);
  const shown = section === undefined ? {} : { section };
  const change = { permission: permissions.change, fresh: true, ...shown } as const;
  return {
    [`GET ${many}`]: {
      id: `kitAuthList${Many}`,
      summary: summaries.listOwn,
      ...before,
      answer: list(ownView),
    },
    [`DELETE ${many}/{id}`]: {
      id: `kitAuth${Verb}${One}`,
      summary: summaries.removeOwn,
      ...before,
      ...(factor !== undefined && {
        fresh: OWN_CHANGES,
        query: { endOthers: FLAG },
        errors: [AuthErrorCode.CONFLICT, AuthErrorCode.NOT_IMPLEMENTED],
      }),
    },
    [`GET users/{id}/${many}`]: {
      id: `kitAuthListUser${Many}`,
      summary: summaries.list,
      permission: permissions.read,
      ...shown,
      answer: list(view),
    },
    [`DELETE users/{id}/${many}`]: {
      id: `kitAuth${Verb}User${Many}`,
      summary: summaries.removeAll,
      ...change,
    },
    [`DELETE users/{id}/${many}/{${one}Id}`]: {
      id: `kitAuth${Verb}User${One}`,
      summary: summaries.remove,
      ...change,
    },
  } satisfies Api;
}

type Words = Readonly<Record<'one' | 'many', string>>;
interface OwnedCall {
  readonly params: Readonly<Record<string, string>>;
  /** Only factors have it. */
  readonly query?: { readonly endOthers?: boolean | undefined };
}

function controllersOf({ one, many }: Words, api: Api, token: symbol): Type<object>[] {
  const endpoint = (key: EndpointKey) => handles(api[key] as EndpointDeclaration, key);

  @KitAuthController()
  class OwnController {
    constructor(@Inject(token) private readonly owned: OwnedBelongings<OwnedItem>) {}

    @endpoint(`GET ${many}`)
    list(): Promise<object[]> {
      return this.owned.listOwn();
    }

    @endpoint(`DELETE ${many}/{id}`)
    remove({ params, query }: OwnedCall): Promise<void> {
      return this.owned.removeOwn(params['id'] as string, query?.endOthers);
    }
  }

  @KitAuthController()
  class UserController {
    constructor(@Inject(token) private readonly owned: OwnedBelongings<OwnedItem>) {}

    @endpoint(`GET users/{id}/${many}`)
    list({ params }: OwnedCall): Promise<OwnedItem[]> {
      return this.owned.listFor(params['id'] as string);
    }

    @endpoint(`DELETE users/{id}/${many}`)
    removeAll({ params }: OwnedCall): Promise<void> {
      return this.owned.removeFor(params['id'] as string);
    }

    @endpoint(`DELETE users/{id}/${many}/{${one}Id}`)
    remove({ params }: OwnedCall): Promise<void> {
      return this.owned.removeFor(params['id'] as string, params[`${one}Id`]);
    }
  }

  // Route reports and logs show them.
  Object.defineProperty(OwnController, 'name', { value: `KitAuth${capitalized(many)}Controller` });
  Object.defineProperty(UserController, 'name', { value: `KitAuthUser${capitalized(many)}Controller` });
  return [OwnController, UserController];
}
