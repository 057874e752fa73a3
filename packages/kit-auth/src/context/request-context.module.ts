import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Module, type NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Reply } from '../errors/auth.exception.js';
import { KitAuthContext, openRequestContext, wasReset } from './kit-auth.context.js';

/** The methods of a Fastify instance that are used here. The core does not depend on a platform. */
interface FastifyLike {
  addHook(
    name: 'preHandler',
    hook: (request: IncomingMessage, reply: Reply<ServerResponse>, done: () => void) => void,
  ): void;
}

/**
 * Opens the request context before any guard runs. On Fastify this is a `preHandler` hook, because middleware does not
 * run for every route when the global prefix has exclusions.
 */
@Module({ providers: [KitAuthContext], exports: [KitAuthContext] })
export class RequestContextModule implements NestModule {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /** Nest calls this after it has registered the body parsers, and before it registers routes. */
  configure(): void {
    const adapter = this.adapterHost.httpAdapter;
    const server = adapter.getHttpServer() as Server;
    server.prependListener('connection', endIfReset).prependListener('secureConnection', endIfReset);
    if (adapter.getType() === 'fastify') {
      adapter
        .getInstance<FastifyLike>()
        .addHook('preHandler', (request, reply, done) => openRequestContext(request, reply, done));
    } else {
      adapter.use((request: IncomingMessage, response: ServerResponse, next: () => void) =>
        openRequestContext(request, response, next),
      );
    }
  }
}

/** Reads the client's address while it is available, and closes connections that were reset already. */
function endIfReset(socket: Socket): void {
  if (wasReset(socket)) {
    socket.destroy();
  }
}
