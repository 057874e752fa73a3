import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Logger } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { isObject } from '../ports/port.js';

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;|$)/i;
/** In characters; more than any name or password that could be right, and little enough to compare. */
const MAX_LENGTH = 1024;

/** A request after the platform's body parser. */
export type JsonRequest = Pick<IncomingMessage, 'headers'> & { body?: unknown };

/**
 * Returns the parsed body of a request, whose members are not checked. Read only the members that you need, so that
 * neither a pipe of the application nor the depth of the body matters.
 *
 * @param expected what the message of the refusal asks for
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
  const fields = names.map((it) => JSON.stringify(it)).join(' and ');
  const expected = `a JSON object with the strings ${fields}`;
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

function isText(value: unknown): value is string {
  return (
    typeof value === 'string' && value.trim() !== '' && value.length <= MAX_LENGTH && value.isWellFormed()
  );
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

const CURES = {
  express: "call app.useBodyParser('json'), or leave out bodyParser: false of NestFactory.create()",
  fastify:
    "call fastify.addContentTypeParser('application/json', { parseAs: 'string' }, " +
    "fastify.getDefaultJsonParser('error', 'error')), where fastify is app.getHttpAdapter().getInstance()",
};

/** By application. */
const warned = new WeakSet<object>();

/**
 * Warns, once for each application, that no parser has read the JSON body of a request that is refused for that. The
 * answer does not say so: it is for clients.
 */
export function warnOfUnparsedBody(request: PlatformRequest): void {
  const { headers, body, app, server } = request;
  const hasBody = Number(headers['content-length']) > 0 || headers['transfer-encoding'] !== undefined;
  const isParsed = body !== undefined && !Buffer.isBuffer(body);
  const application = app ?? server;
  if (!hasBody || isParsed || application === undefined || warned.has(application)) {
    return;
  }
  warned.add(application);
  const platform = app === undefined ? 'fastify' : 'express';
  new Logger('KitAuth').warn(
    '[auth] a request to an endpoint of kit-auth was answered with 40000, because the application has no parser for ' +
      `its body (application/json): ${CURES[platform]}`,
  );
}
