import type { Type } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer, Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { KitAuthSettings } from 'kit-auth';
import { FreshLogins } from 'kit-auth/feature';
import { RouteRules } from 'kit-auth/tools';

/** A call of a method, as Nest tells guards of it. @param type `http`, `ws`, `rpc` or `graphql` */
export function handlerCall(
  controller: Type,
  method: string,
  type = 'http',
  args: unknown[] = [],
): ExecutionContextHost {
  const handler = Reflect.get(controller.prototype as object, method) as () => unknown;
  const call = new ExecutionContextHost(args, controller, handler);
  call.setType(type);
  return call;
}

/** The rules of an application without a global prefix, whose classes are in no module. */
export function routeRulesOf(settings: KitAuthSettings): RouteRules {
  const modules = new ModulesContainer();
  return new RouteRules(
    new Reflector(),
    new ApplicationConfig(),
    modules,
    new FreshLogins(modules),
    settings,
  );
}
