import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { badRequest } from './refusals.js';

const NEVER_TAKEN = new Set(['__proto__', 'constructor', 'prototype']);

interface RequestWithBody {
  headers: { 'content-type'?: string };
  body?: unknown;
}

/**
 * What a class with validators declares, out of the JSON body, and nothing else: 40000 with the rules that are broken.
 * It looks one level deep, so that a body nested a thousand times costs no more than a flat one; being no `@Body()`,
 * it is not touched by an application's own global `ValidationPipe`.
 */
export const Input = createParamDecorator((type: Type<object>, context: ExecutionContext): object => {
  const { headers, body } = context.switchToHttp().getRequest<RequestWithBody>();
  const isJson = /^application\/json[ \t]*(?:;|$)/i.test(headers['content-type'] ?? '');
  if (!isJson || typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('Send a JSON object as application/json');
  }
  const input = new type();
  for (const [name, value] of Object.entries(body)) {
    if (!NEVER_TAKEN.has(name)) {
      (input as Record<string, unknown>)[name] = value;
    }
  }
  const errors = validateSync(input, { whitelist: true, forbidUnknownValues: true, stopAtFirstError: true });
  if (errors.length > 0) {
    throw badRequest(errors.flatMap(({ constraints = {} }) => Object.values(constraints)).join('; '));
  }
  return input;
});
