import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { badRequest, type JsonRequest, readJsonObject } from 'kit-auth/extend';

const SKIPPED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The members of the JSON body that a class with validators declares. Other members are dropped. Throws AuthException
 * 40000, which names the rules that the body breaks.
 *
 * It validates one level, so that a deeply nested body costs no more than a flat one. A global `ValidationPipe` of the
 * application does not touch it, because it is not a `@Body()`.
 */
export const Input = createParamDecorator((type: Type<object>, context: ExecutionContext): object => {
  const input = new type();
  for (const [name, value] of Object.entries(
    readJsonObject(context.switchToHttp().getRequest<JsonRequest>()),
  )) {
    if (!SKIPPED_NAMES.has(name)) {
      (input as Record<string, unknown>)[name] = value;
    }
  }
  const errors = validateSync(input, { whitelist: true, forbidUnknownValues: true, stopAtFirstError: true });
  if (errors.length > 0) {
    throw badRequest(errors.flatMap(({ constraints = {} }) => Object.values(constraints)).join('; '));
  }
  return input;
});
