import { Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { AuthErrorCode, AuthEvents, AuthException, KitAuthContext, Public } from 'kit-auth';
import {
  ActiveUserStore,
  type JsonRequest,
  KitAuthController,
  readJsonObject,
  TransportExchanges,
} from 'kit-auth/extend';
import { RefreshTokens } from '../logins/refresh.tokens.js';

const EXPECTED = 'a JSON object with the string "refreshToken"';

/** The refresh token of a request, and whether its body has it. */
interface Received {
  readonly text: string;
  readonly isInBody: boolean;
}

/** Replaces refresh tokens, and ends their logins. */
@KitAuthController('token')
export class KitAuthTokenController {
  constructor(
    private readonly tokens: RefreshTokens,
    private readonly users: ActiveUserStore,
    private readonly exchanges: TransportExchanges,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
  ) {}

  @Post('refresh')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async refresh(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const action = this.events.begin();
    const { text, isInBody } = this.received(request);
    try {
      const answer = await this.tokens.refresh(text, this.context.client(), action, (prepared) =>
        this.exchanges.requireWritable(prepared, request),
      );
      return await this.exchanges.write(answer, request, response);
    } catch (error) {
      if (!isInBody && isGone(error)) {
        this.exchanges.clear(request, response);
      }
      throw error;
    }
  }

  /** Ends the login of a client without a valid access token. Does nothing for unknown and ended tokens. */
  @Post('end')
  @Public()
  @HttpCode(HttpStatus.NO_CONTENT)
  async end(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<void> {
    const action = this.events.begin();
    const { text } = this.received(request);
    const userId = await this.tokens.end(text);
    this.exchanges.clear(request, response);
    if (userId !== undefined) {
      const user = await this.users.loadLoginUser(userId).catch(() => undefined);
      action.note({ type: 'logout', subjectId: userId, subject: user?.username ?? null });
    }
  }

  /** @throws AuthException 40000 when there is no refresh token, and what the token transport throws */
  private received(request: JsonRequest): Received {
    const fromTransport = hasToken(request.body) ? undefined : this.exchanges.readRefreshToken(request);
    if (fromTransport !== undefined) {
      return { text: fromTransport, isInBody: false };
    }
    const body = readJsonObject(request, EXPECTED);
    const sent = hasToken(body) ? body['refreshToken'] : undefined;
    if (typeof sent !== 'string' || sent === '') {
      throw new AuthException(AuthErrorCode.BAD_REQUEST, { message: `Send ${EXPECTED} as application/json` });
    }
    return { text: sent, isInBody: true };
  }
}

function hasToken(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'refreshToken');
}

/** A newer token has replaced a `replaced` one. Clearing the cookie would end the login of the browser. */
function isGone(error: unknown): boolean {
  return (
    error instanceof AuthException &&
    error.code === AuthErrorCode.TOKEN_INVALID &&
    error.reason !== 'replaced'
  );
}
