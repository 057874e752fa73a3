import type { Type } from '@nestjs/common';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import { IllegalStateException } from 'kit-auth';
import { audienceOf, isMessageHandler } from './as-carried-user.decorator.js';

const scanner = new MetadataScanner();

/** The controllers with handlers of messages of microservices. */
export function messageControllers(modules: ModulesContainer): Type[] {
  return typesIn(modules, 'controllers').filter((type) => methodsOf(type).some(isMessageHandler));
}

/** @throws IllegalStateException that names methods whose `@AsCarriedUser()` names an unknown audience */
export function checkAudiences(modules: ModulesContainer, known: readonly string[]): void {
  const types = [...typesIn(modules, 'controllers'), ...typesIn(modules, 'providers')];
  const unknown = types.flatMap((type) =>
    methodsOf(type)
      .map((method) => ({ method, audience: audienceOf(type, method) }))
      .filter(({ audience }) => audience !== undefined && !known.includes(audience))
      .map(({ method, audience }) => `@AsCarriedUser('${audience}') of ${type.name}.${method.name}()`),
  );
  if (unknown.length > 0) {
    throw new IllegalStateException(
      `kit.auth.jobs.audiences has no audience of this name: ${[...new Set(unknown)].join(', ')}. Add it, or name one of ${known.join(', ')}.`,
    );
  }
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
