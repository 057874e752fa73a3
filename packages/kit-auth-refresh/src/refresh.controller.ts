import { Res } from '@nestjs/common';
import { AuthErrorCode, AuthEvents, AuthException, KitAuthContext } from 'kit-auth';
import {
  ActiveUserStore,
  badRequest,
  type Call,
  Endpoint,
  type JsonRequest,
  KitAuthController,
  readJsonObject,
} from 'kit-auth/feature';
import { type LoginAnswer, TransportExchanges } from 'kit-auth/login';
import { isObject } from 'kit-auth/tools';
import { RefreshTokens } from './logins/refresh.tokens.js';
import { refreshApi } from './refresh.api.js';

const EXPECTED = 'a JSON object with the string "refreshToken"';

/** The refresh token of a request. */
interface ReceivedToken {
  readonly text: string;
  readonly isInBody: boolean;
}

/** Replaces refresh tokens, and ends their logins. */
@KitAuthController()
export class KitAuthTokenController {
  constructor(
    private readonly tokens: RefreshTokens,
    private readonly users: ActiveUserStore,
    private readonly exchanges: TransportExchanges,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
  ) {}

  @Endpoint(refreshApi, 'POST token/refresh')
  async refresh(
    { request }: Call<typeof refreshApi, 'POST token/refresh'>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<LoginAnswer> {
    const action = this.events.begin();
    const { text, isInBody } = this.received(request);
    try {
      return await this.tokens.refresh(text, this.context.client(), action, (answer) =>
        this.exchanges.requireWritable(answer, request),
      );
    } catch (error) {
      if (!isInBody && isGone(error)) {
        this.exchanges.clear(request, response);
      }
      throw error;
    }
  }

  /** Does nothing for unknown and ended tokens. */
  @Endpoint(refreshApi, 'POST token/end')
  async end(
    { request }: Call<typeof refreshApi, 'POST token/end'>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<void> {
    const action = this.events.begin();
    const { text } = this.received(request);
    const userId = await this.tokens.end(text);
    this.exchanges.clear(request, response);
    if (userId !== undefined) {
      const user = await this.users.loadLoginUser(userId).catch(() => undefined);
      action.note({ type: 'logout', subjectId: userId, subject: user?.username ?? null });
    }
  }

  /** @throws AuthException 40000 without a refresh token, and errors of the token transport */
  private received(request: JsonRequest): ReceivedToken {
    const fromTransport = hasToken(request.body) ? undefined : this.exchanges.readRefreshToken(request);
    if (fromTransport !== undefined) {
      return { text: fromTransport, isInBody: false };
    }
    const body = readJsonObject(request, EXPECTED);
    const sent = hasToken(body) ? body['refreshToken'] : undefined;
    if (typeof sent !== 'string' || sent === '') {
      throw badRequest(`Send ${EXPECTED} as application/json`);
    }
    return { text: sent, isInBody: true };
  }
}

function hasToken(body: unknown): boolean {
  return isObject(body) && Object.hasOwn(body, 'refreshToken');
}

/** A newer token has replaced a `replaced` one. Clearing the cookie would end the login of the browser. */
function isGone(error: unknown): boolean {
  return (
    error instanceof AuthException &&
    error.code === AuthErrorCode.TOKEN_INVALID &&
    error.reason !== 'replaced'
  );
}
