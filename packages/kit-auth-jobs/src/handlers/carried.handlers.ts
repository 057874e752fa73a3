import { Inject, Injectable, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { decoratedMethodOf, requirementsOn } from 'kit-auth/feature';
import { RouteRules } from 'kit-auth/tools';
import { CarriedTokens } from '../carrying/carried.tokens.js';
import { carriedUserOf, isMessageHandler } from './as-carried-user.decorator.js';

const scanner = new MetadataScanner();

/** The controllers with handlers of messages of microservices. */
export function messageControllers(modules: ModulesContainer): Type[] {
  return typesIn(modules, 'controllers').filter((type) => methodsOf(type).some(isMessageHandler));
}

/** Checks the handlers of jobs and messages at start-up. */
@Injectable()
export class CarriedHandlers implements OnApplicationBootstrap {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly rules: RouteRules,
    private readonly tokens: CarriedTokens,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {}

  /**
   * @throws IllegalStateException for methods whose `@AsCarriedUser()` names an unknown audience, for processors with access
   * decorators, which no guard reads, for open handlers of messages, and for others without `@AsCarriedUser()` if there are
   * several audiences
   */
  onApplicationBootstrap(): void {
    if (this.core.enabled) {
      checkHandlers(this.modules, this.rules, this.tokens.names());
    }
  }
}

function checkHandlers(modules: ModulesContainer, rules: RouteRules, known: readonly string[]): void {
  requireAudiences(modules, rules, known);
  const carried = [...typesIn(modules, 'controllers'), ...typesIn(modules, 'providers')].flatMap((type) =>
    methodsOf(type).flatMap((method) => {
      const user = carriedUserOf(type, method);
      return user === undefined
        ? []
        : [{ type, method, audience: user.audience, name: `${type.name}.${method.name}()` }];
    }),
  );
  const unknown = carried
    .filter(({ audience }) => !known.includes(audience))
    .map(({ audience, name }) => `@AsCarriedUser('${audience}') of ${name}`);
  if (unknown.length > 0) {
    throw new IllegalStateException(
      `kit.auth.jobs.audiences has no audience of this name: ${listOf(unknown)}. Add it, or name one of ${known.join(', ')}.`,
    );
  }
  const unguarded = carried
    .filter(({ method }) => !isMessageHandler(method))
    .filter(({ type, method }) => [type, decoratedMethodOf(type, method)].some(isGuarded))
    .map(({ name }) => name);
  if (unguarded.length > 0) {
    throw new IllegalStateException(
      `Access decorators have no effect on processors of jobs: ${listOf(unguarded)}. Remove them, and check permissions in ` +
        'the code, for example with hasPermission().',
    );
  }
  const open = carried
    .filter(({ method }) => isMessageHandler(method))
    .filter(({ type, method }) => isOpen(rules, type, method))
    .map(({ name }) => name);
  if (open.length > 0) {
    throw new IllegalStateException(
      `@AsCarriedUser() has no effect beside @Public(), with which handlers of messages have no user: ${listOf(open)}. ` +
        'Remove one of them.',
    );
  }
}

/** With several audiences, a handler without one would take the users of all of them. */
function requireAudiences(modules: ModulesContainer, rules: RouteRules, known: readonly string[]): void {
  const names = messageControllers(modules).flatMap((type) =>
    methodsOf(type)
      .filter((method) => isMessageHandler(method) && !isOpen(rules, type, method))
      .filter((method) => carriedUserOf(type, method) === undefined)
      .map((method) => `${type.name}.${method.name}()`),
  );
  if (known.length > 1 && names.length > 0) {
    throw new IllegalStateException(
      'Handlers of messages need @AsCarriedUser(), because kit.auth.jobs.audiences has several audiences, and they would ' +
        `take the users of all of them: ${listOf(names)}. Add it with one of ${known.join(', ')}, also beside ` +
        '@OptionalUser(). Or open them with @Public().',
    );
  }
}

function isOpen(rules: RouteRules, type: Type, method: object): boolean {
  return rules.messageRuleOf(type, method)?.decision === 'open by @Public';
}

function isGuarded(target: object): boolean {
  return requirementsOn(target).length > 0;
}

/** Several modules may provide the same class. */
function listOf(names: readonly string[]): string {
  return [...new Set(names)].join(', ');
}

function typesIn(modules: ModulesContainer, kind: 'controllers' | 'providers'): Type[] {
  return [...modules.values()].flatMap((host) =>
    [...host[kind].values()]
      .map(({ metatype }) => metatype as Partial<Type> | null)
      .filter((type): type is Type => typeof type?.prototype === 'object'),
  );
}

function methodsOf({ prototype }: Type): ((...parts: never[]) => unknown)[] {
  return scanner
    .getAllMethodNames(prototype as object)
    .map((name) => Reflect.get(prototype as object, name) as (...parts: never[]) => unknown);
}
