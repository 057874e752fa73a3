import type { IncomingHttpHeaders } from 'node:http';
import { Logger } from '@nestjs/common';

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
