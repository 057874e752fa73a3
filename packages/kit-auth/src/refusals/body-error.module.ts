import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Module, type NestModule, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, type Reply, setRefusalHeaders } from '../errors/auth.exception.js';
import { isSentAsForm, isSentAsJson, warnOfUnparsedBody } from '../endpoints/json-body.js';

const OUR_URL = /^[^?#]*\/v1\/api\/auth\//i;
/** The endpoint of `kit-auth-oidc` that takes a form. Elsewhere, a form is a mistake of the client. */
const FORM_URL = /\/backchannel-logout$/i;

interface BodyError extends Error {
  /** Of Express's body parser, for example `entity.parse.failed`. */
  type?: unknown;
  /** Of Fastify, for example `FST_ERR_CTP_INVALID_JSON_BODY`, or of Node. */
  code?: unknown;
}

interface FastifyRequestLike {
  readonly headers: IncomingHttpHeaders;
  readonly raw: IncomingMessage;
}

interface FastifyLike {
  addHook(name: 'onRoute', hook: (route: { url: string; errorHandler?: unknown }) => void): void;
}

/**
 * Answers 40000 when the platform's parser refuses a body that was sent to an endpoint of the module. The parser's own
 * answer has no code, and Express quotes the body in it, with a password perhaps.
 */
@Module({})
export class BodyErrorModule implements NestModule {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /** Nest calls this after the body parsers are in place and before any route is. */
  configure(): void {
    const adapter = this.adapterHost.httpAdapter;
    if (adapter.getType() === 'fastify') {
      adapter.getInstance<FastifyLike>().addHook('onRoute', (route) => {
        if (OUR_URL.test(route.url)) {
          route.errorHandler = (error: BodyError, request: FastifyRequestLike, reply: Reply) => {
            const isExpected = FORM_URL.test(route.url) ? isSentAsForm(request) : isSentAsJson(request);
            const isUnparsed = error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' && isExpected;
            if (isUnparsed && this.settings.enabled) {
              warnOfUnparsedBody(request);
            }
            throw this.translated(error, request.raw, reply);
          };
        }
      });
    } else {
      adapter.use(
        (
          error: BodyError,
          request: IncomingMessage & { url: string },
          response: ServerResponse,
          next: (error: unknown) => void,
        ) => next(OUR_URL.test(request.url) ? this.translated(error, request, response) : error),
      );
    }
  }

  private translated(
    error: BodyError,
    { complete }: IncomingMessage,
    response: ServerResponse | Reply,
  ): Error {
    const isOfTheParser =
      error instanceof SyntaxError ||
      // The client has closed the connection before it sent the whole body.
      (error.code === 'ECONNRESET' && !complete) ||
      typeof error.type === 'string' ||
      (typeof error.code === 'string' && error.code.startsWith('FST_ERR_CTP_'));
    if (!isOfTheParser) {
      return error;
    }
    const refusal = this.settings.enabled
      ? new AuthException(AuthErrorCode.BAD_REQUEST)
      : new NotFoundException();
    setRefusalHeaders(refusal, response);
    return refusal;
  }
}
