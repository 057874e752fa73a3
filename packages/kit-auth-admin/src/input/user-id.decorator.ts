import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { AuthUser } from 'kit-auth/typeorm';
import { notFound } from 'kit-auth/extend';

interface RequestWithId {
  params: { id: string };
}

/**
 * The id of a user in the path. Throws AuthException 40400 for a string that cannot be an id. Unlike with `@Param()`,
 * the string does not pass through a global `ValidationPipe` of the application, which would convert `1e1` to 10.
 */
export const UserId = createParamDecorator((_data: unknown, context: ExecutionContext): number =>
  userIdFrom(context.switchToHttp().getRequest<RequestWithId>().params.id),
);

/** The id of a user of the default user store. @throws AuthException 40400 for a string that cannot be an id */
export function userIdFrom(text: string): number {
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= AuthUser.MAX_ID)) {
    throw notFound('User');
  }
  return number;
}
