import { Logger } from '@nestjs/common';
import { AuthErrorCode, AuthException, type LoginUser, type UserData } from 'kit-auth';
import { dataProblem, freezeData } from 'kit-auth/login';

/** A browser keeps at most 4 KB in a cookie, and the roles need room too. */
const MAX_BYTES = 1024;

/** The part of `LoginUser.data` that tokens carry (`kit.auth.jwt.data`). */
export class TokenData {
  private readonly logger = new Logger('KitAuthJwt');

  constructor(private readonly names: readonly string[]) {}

  /**
   * The named fields of a user, for a token. Undefined if there are none.
   *
   * @throws AuthException 50300 for fields that are too long, or that JSON cannot carry
   */
  of({ userId, data }: LoginUser): UserData | undefined {
    const named = this.named(data);
    const problem = problemOf(named);
    if (problem !== undefined) {
      this.logger.error(
        `[jwt] no token for user ${userId}, ${problem}. kit.auth.jwt.data has ${this.names.join(', ')}`,
      );
      const message = 'The data of the user does not fit into a token';
      throw new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { message });
    }
    return named;
  }

  /** The same fields of the claims of a token, frozen. The token may have been issued when other fields were named. */
  in({ data }: Pick<LoginUser, 'data'>): UserData | undefined {
    const named = this.named(data);
    freezeData(named);
    return named;
  }

  private named(data: UserData | undefined): UserData | undefined {
    if (data === undefined || this.names.length === 0) {
      return undefined;
    }
    const fields = this.names
      .filter((name) => Object.hasOwn(data, name))
      .map((name) => [name, Reflect.get(data, name)] as const)
      .filter(([, value]) => value !== undefined);
    return fields.length === 0 ? undefined : Object.fromEntries(fields);
  }
}

function problemOf(data: UserData | undefined): string | undefined {
  const problem = dataProblem(data);
  if (data === undefined || problem !== undefined) {
    return problem;
  }
  const bytes = Buffer.byteLength(JSON.stringify(data));
  return bytes > MAX_BYTES
    ? `whose data would have ${bytes} bytes as JSON, ${MAX_BYTES} is the most`
    : undefined;
}
