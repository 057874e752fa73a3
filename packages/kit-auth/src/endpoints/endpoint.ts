import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  applyDecorators,
  type CallHandler,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  Logger,
  type NestInterceptor,
  NotFoundException,
  Optional,
  SetMetadata,
  UseGuards,
  UseInterceptors,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import { catchError } from 'rxjs/operators'; // `rxjs` itself exports operators since 7.2
import { withRefusalHeaders } from '../context/kit-auth.context.js';
import type { ShownAnswer } from '../contract/login-step.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, badRequest, unavailable } from '../errors/auth.exception.js';
import { describeError, stackOf } from '../errors/describe.js';
import { isObject } from '../ports/port.js';
import { RequireToken } from '../routes/require.decorators.js';
import { OURS } from '../routes/route-rule.js';

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;|$)/i;
const FORM_MEDIA_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;
/** The maximum length in characters: longer than any valid name or password, but cheap to compare. */
const MAX_LENGTH = 1024;

/**
 * A controller under `/v1/api/auth`, for endpoints of the core and of packages that extend it. Its paths do not depend
 * on the versioning of the application. Its methods need a token, whatever `protect` and the white-list say, unless they
 * have `@Public()`. It answers 404 while `kit.auth.enabled` is false, and 50300 when a database or another dependency
 * fails. A `CacheInterceptor` of the application does not store its answers.
 *
 * @param path behind `/v1/api/auth/`
 *
 * @example
 * ```ts
 * @KitAuthController('keys')
 * export class KeyController {}
 * ```
 */
export function KitAuthController(path = ''): ClassDecorator {
  return applyDecorators(
    Controller({ path: path === '' ? 'v1/api/auth' : `v1/api/auth/${path}`, version: VERSION_NEUTRAL }),
    SetMetadata(OURS, true),
    RequireToken(),
    UseGuards(OnlyWhenEnabled),
    UseInterceptors(DependencyFailureInterceptor),
    uncached,
  );
}

/** The module's own endpoints answer 404 while `kit.auth.enabled` is false. */
@Injectable()
export class OnlyWhenEnabled implements CanActivate {
  /** @param settings undefined without the core, which the package with the endpoints tells */
  constructor(@Optional() @Inject(KIT_AUTH_SETTINGS) private readonly settings?: KitAuthSettings) {}

  canActivate(): boolean {
    if (this.settings?.enabled !== true) {
      throw new NotFoundException();
    }
    return true;
  }
}

/**
 * Answers 50300 when a handler throws an error other than an `HttpException`, and logs it. Sets the headers of
 * refusals, so that they survive a catch-all filter of the application. For endpoints of packages.
 */
@Injectable()
class DependencyFailureInterceptor implements NestInterceptor {
  private readonly logger = new Logger('KitAuth');

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next
      .handle()
      .pipe(
        catchError((error: unknown) => throwError(() => withRefusalHeaders(this.translated(error, context)))),
      );
  }

  private translated(error: unknown, context: ExecutionContext): unknown {
    if (error instanceof HttpException) {
      return error;
    }
    const where = `${context.getClass().name}.${context.getHandler().name}`;
    this.logger.error(`[auth] ${where} failed: ${describeError(error)}`, ...stackOf(error));
    return unavailable(error);
  }
}

/** `CACHE_KEY_METADATA` of `@nestjs/cache-manager`. An answer without a key is neither stored nor read. */
const CACHE_KEY = 'cache_module:cache_key';
const noKey = (): undefined => undefined;

/**
 * Exempts the methods of a controller from a `CacheInterceptor` of the application. Its keys are URLs, so a user would
 * get the stored answer of another user.
 */
function uncached(controller: { readonly prototype: object }): void {
  const { prototype } = controller;
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name !== 'constructor' && typeof descriptor.value === 'function') {
      SetMetadata(CACHE_KEY, noKey)(prototype, name, descriptor);
    }
  }
}

/** A request after the platform's body parser. */
export type JsonRequest = Pick<IncomingMessage, 'headers'> & { body?: unknown };

/**
 * Reads a flag of a query, such as `?endOthers=true`. Undefined if it is absent or empty.
 *
 * @throws AuthException 40000 unless it is `true` or `false`
 */
export function readFlag(query: object, name: string): boolean | undefined {
  const value: unknown = Object.hasOwn(query, name) ? Reflect.get(query, name) : undefined;
  if (value === undefined || value === '') {
    return undefined;
  }
  if (value !== 'true' && value !== 'false') {
    throw badRequest(`${name} must be true or false`);
  }
  return value === 'true';
}

/**
 * Returns the parsed body of a request, whose members are not checked. Read only the members that you need, so that
 * neither a pipe of the application nor the depth of the body matters.
 *
 * @param expected the expected body, for the message of the refusal
 * @throws AuthException 40000 `BAD_REQUEST` unless the body is an object that was sent as `application/json`
 * @example
 * ```ts
 * @Post()
 * create(@Req() request: JsonRequest) {
 *   const { scopes } = readJsonObject(request);
 * ```
 */
export function readJsonObject(
  request: JsonRequest,
  expected = 'a JSON object',
): Readonly<Record<string, unknown>> {
  const { body } = request;
  if (isSentAsJson(request) && isObject(body) && !Buffer.isBuffer(body)) {
    return body;
  }
  if (isSentAsJson(request)) {
    warnOfUnparsedBody(request);
  }
  throw refused(expected);
}

/** Whether the body of a request is JSON, as its header says. */
export function isSentAsJson({ headers }: Pick<JsonRequest, 'headers'>): boolean {
  return JSON_MEDIA_TYPE.test(headers['content-type'] ?? '');
}

/** Whether the body of a request is a form, as its header says. */
export function isSentAsForm({ headers }: Pick<JsonRequest, 'headers'>): boolean {
  return FORM_MEDIA_TYPE.test(headers['content-type'] ?? '');
}

/** A member of a body that is a form. Undefined if it has none, or more than one. */
export function formTextOf(request: JsonRequest, name: string): string | undefined {
  const { body } = request;
  if (isSentAsForm(request)) {
    warnOfUnparsedBody(request);
  }
  const value = isObject(body) && Object.hasOwn(body, name) ? body[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns strings of a JSON body. Each must be present, not blank, and at most 1,024 characters long.
 *
 * @throws AuthException 40000 `BAD_REQUEST`
 * @example
 * const { code } = readTexts(request, ['code']);
 */
export function readTexts<const Name extends string>(
  request: JsonRequest,
  names: readonly Name[],
): Record<Name, string> {
  const expected = objectWith(names);
  const body = readJsonObject(request, expected);
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    if (!isText(value)) {
      throw refused(expected);
    }
    texts[name] = value;
  }
  return texts as Record<Name, string>;
}

/**
 * Reads the factor that a user shows: the strings `factor` and `code`, or `factor` and `ceremony` with the object `response`.
 *
 * @param names more strings of the body, such as `challenge`
 * @throws AuthException 40000 `BAD_REQUEST`
 */
export function readAnswer<const Name extends string>(
  request: JsonRequest,
  names: readonly Name[],
): Record<Name, string> & Omit<ShownAnswer, 'user'> {
  const { response } = readJsonObject(request);
  if (isObject(response)) {
    return { ...readTexts(request, [...names, 'factor', 'ceremony']), answer: response };
  }
  const texts: Record<Name | 'factor' | 'code', string> = readTexts(request, [...names, 'factor', 'code']);
  return { ...texts, answer: texts.code };
}

function isText(value: unknown): value is string {
  return (
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_LENGTH && value.isWellFormed()
  );
}

function objectWith(names: readonly string[]): string {
  return `a JSON object with the strings ${names.map((name) => JSON.stringify(name)).join(' and ')}`;
}

/** 40000 of `readTexts`, for strings that only some requests need. */
export function missingTexts(names: readonly string[]): AuthException {
  return refused(objectWith(names));
}

function refused(expected: string): AuthException {
  return new AuthException(AuthErrorCode.BAD_REQUEST, { message: `Send ${expected} as application/json` });
}

/** A request of Express, or one of Fastify. */
interface PlatformRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body?: unknown;
  /** Of Express. */
  readonly app?: object;
  /** Of Fastify. */
  readonly server?: object;
}

const JSON_PARSER = {
  type: 'application/json',
  express: "call app.useBodyParser('json'), or leave out bodyParser: false of NestFactory.create()",
  fastify:
    "call fastify.addContentTypeParser('application/json', { parseAs: 'string' }, " +
    "fastify.getDefaultJsonParser('error', 'error')), where fastify is app.getHttpAdapter().getInstance()",
  /** The applications that were warned. */
  warned: new WeakSet<object>(),
};
const FORM_PARSER: typeof JSON_PARSER = {
  type: 'application/x-www-form-urlencoded',
  express:
    "call app.useBodyParser('urlencoded', { extended: true }), or leave out bodyParser: false of NestFactory.create()",
  fastify: 'call await app.register(formbody), which @fastify/formbody exports',
  warned: new WeakSet(),
};

/**
 * Warns, once for each application, that a request is refused because no parser has read its body, which is JSON or a form. The
 * answer does not say so, because it is for clients.
 */
export function warnOfUnparsedBody(request: PlatformRequest): void {
  const { headers, body, app, server } = request;
  const { type, warned, ...cures } = isSentAsForm(request) ? FORM_PARSER : JSON_PARSER;
  const hasBody = Number(headers['content-length']) > 0 || headers['transfer-encoding'] !== undefined;
  const isParsed = body !== undefined && !Buffer.isBuffer(body);
  const application = app ?? server;
  if (!hasBody || isParsed || application === undefined || warned.has(application)) {
    return;
  }
  warned.add(application);
  const platform = app === undefined ? 'fastify' : 'express';
  new Logger('KitAuth').warn(
    '[auth] a request to an endpoint of kit-auth was refused, because the application has no parser for its body ' +
      `(${type}): ${cures[platform]}`,
  );
}
