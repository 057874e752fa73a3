import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { AuthUser } from 'kit-auth/typeorm';
import { notFound } from './refusals.js';

interface RequestWithId {
  params: { id: string };
}

/**
 * The id of a user in the path, as it was sent: an application's own global `ValidationPipe` would make a number of
 * `1e1`. What cannot be an id is the id of nobody: 40400.
 */
export const UserId = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { id } = context.switchToHttp().getRequest<RequestWithId>().params;
  const number = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : Number.NaN;
  if (!(number <= AuthUser.MAX_ID)) {
    throw notFound('user');
  }
  return number;
});
