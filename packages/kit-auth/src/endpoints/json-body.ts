import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Logger } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { isObject } from '../ports/port.js';

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;|$)/i;
const FORM_MEDIA_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;

/** A request after the platform's body parser. */
export type JsonRequest = Pick<IncomingMessage, 'headers'> & { body?: unknown };

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

/** Whether the header of a request says that its body is JSON. */
export function isSentAsJson({ headers }: Pick<JsonRequest, 'headers'>): boolean {
  return JSON_MEDIA_TYPE.test(headers['content-type'] ?? '');
}

/** Whether the header of a request says that its body is a form. */
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

/** An object with strings, for the message of a refusal. */
export function namesOfTexts(names: readonly string[]): string {
  return `a JSON object with the strings ${names.map((name) => JSON.stringify(name)).join(' and ')}`;
}

/** The refusal 40000 of a body that lacks strings. */
export function missingTexts(names: readonly string[]): AuthException {
  return refused(namesOfTexts(names));
}

function refused(expected: string): AuthException {
  return new AuthException(AuthErrorCode.BAD_REQUEST, { message: `Send ${expected} as application/json` });
}

/** A request of Express, or one of Fastify. */
interface PlatformRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body?: unknown;
  /** Express sets it. */
  readonly app?: object;
  /** Fastify sets it. */
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
