import type { ExecutionContext } from '@nestjs/common';
import type { LoginUser } from './login-user.js';

/** A rule on the object of a request, for `@Authorize(PolicyClass)`: a provider of the application, not request-scoped. */
export interface AuthPolicy {
  /**
   * Whether the user may do what the request asks for; anything but `true` is answered with 40300. Asked after the
   * token, roles and permissions, super administrators included. An exception of Nest (`NotFoundException`) is
   * answered as it is.
   *
   * @param request Nest's own: `request.switchToHttp().getRequest()` has the parameters, not yet the pipes' work
   */
  can(user: LoginUser, request: ExecutionContext): boolean | PromiseLike<boolean>;
}
