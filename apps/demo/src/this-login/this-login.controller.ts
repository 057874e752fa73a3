import { Controller, Get, Header, Inject, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CurrentUser,
  hasPermission,
  KIT_AUTH_SETTINGS,
  KitAuthContext,
  type KitAuthSettings,
  type LoginUser,
  type Principal,
  Public,
  RequireToken,
  RouteAccessReport,
} from 'kit-auth';
import { IsPermission } from 'kit-auth/class-validator';
import { RequestTokens } from 'kit-auth/login';
import { type TriedRoute, triedRoutes } from './tried-route.js';

/** What kit-auth knows about a login. Times are in seconds since 1970. */
interface ThisLogin {
  user: LoginUser;
  /** What resolved the token: `jwt-stateless` or `session-token`, or the scheme of a key. */
  scheme: string;
  loginId: string | undefined;
  /** The factors that the user has shown in this login, with their times. */
  factors: Readonly<Record<string, number>>;
  /** The end of the token. Sessions have an end, but not their tokens. */
  tokenExpiresAt: number | undefined;
  address: string | undefined;
  userAgent: string | undefined;
}

class AskedPermission {
  @IsPermission()
  permission!: string;
}

/** Shows what kit-auth knows about the login of a request, and what the routes of the demo require. */
@ApiTags('this login')
@Controller('v1/this-login')
export class ThisLoginController {
  constructor(
    private readonly tokens: RequestTokens,
    private readonly context: KitAuthContext,
    private readonly report: RouteAccessReport,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /**
   * Open, so that a page asks without a refusal whether it has a login, also for users who must first choose a password or
   * add a second factor. An invalid token is 40101.
   */
  @Get()
  @Public()
  @Header('Cache-Control', 'no-store')
  async get(@Req() request: RequestWithHeaders): Promise<{ now: number; login: ThisLogin | null }> {
    const principal = await this.tokens.principalOf(request);
    const now = Math.floor(Date.now() / 1000);
    return { now, login: principal === undefined ? null : this.describe(principal) };
  }

  @Get('routes')
  @RequireToken()
  @Header('Cache-Control', 'no-store')
  routes(): { tokenHeader: string; tokenPrefix: string; routes: TriedRoute[] } {
    const { tokenHeader, tokenPrefix } = this.settings;
    return { tokenHeader, tokenPrefix, routes: triedRoutes(this.report.routes(), this.context.getOrThrow()) };
  }

  /** Whether the user has a permission, for what a page shows. */
  @Get('permission')
  @RequireToken()
  @Header('Cache-Control', 'no-store')
  has(@CurrentUser() user: LoginUser, @Query() { permission }: AskedPermission): { granted: boolean } {
    return { granted: hasPermission(user, permission) };
  }

  private describe({ user, scheme, proof, token }: Principal): ThisLogin {
    const { address, userAgent } = this.context.client() ?? {};
    return {
      user,
      scheme,
      loginId: proof.loginId,
      factors: proof.factors,
      tokenExpiresAt: scheme === 'jwt-stateless' ? endOf(token) : undefined,
      address,
      userAgent,
    };
  }
}

type RequestWithHeaders = Parameters<RequestTokens['principalOf']>[0];

/** The end of a JWT that has been verified. */
function endOf(token: string): number {
  const [, payload = ''] = token.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number }).exp;
}
