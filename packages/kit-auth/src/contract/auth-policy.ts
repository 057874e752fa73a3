import type { ExecutionContext } from '@nestjs/common';
import type { LoginUser } from './login-user.js';

/**
 * A rule that depends on the request, for `@Authorize(PolicyClass)`. Provide it in a module, in the default scope.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class NoteAuthor implements AuthPolicy {
 *   constructor(private readonly notes: NotesService) {}
 *
 *   async can(user: LoginUser, request: ExecutionContext): Promise<boolean> {
 *     const { id } = request.switchToHttp().getRequest<{ params: { id: string } }>().params;
 *     return (await this.notes.authorOf(Number(id))) === user.userId;
 *   }
 * }
 * ```
 */
export interface AuthPolicy {
  /**
   * Whether the user may make this request. Any result other than `true` is answered with 40300. Policies run last,
   * after roles and permissions, and also for super administrators. Exceptions of Nest, such as `NotFoundException`,
   * are answered as they are.
   *
   * @param request `request.switchToHttp().getRequest()` has the route parameters; pipes have not run yet
   */
  can(user: LoginUser, request: ExecutionContext): boolean | PromiseLike<boolean>;
}
