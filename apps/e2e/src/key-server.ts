import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';

type Answer = (response: ServerResponse, origin: string) => void;

/** The part of an issuer that applications call: discovery and keys. It does what a test says. */
export class KeyServer {
  private readonly server: Server;
  /** The paths that were requested. */
  readonly asked: string[] = [];
  /** The answers, by path. Others get 404. */
  answers: Record<string, Answer> = {};
  origin = '';

  constructor() {
    this.server = createServer(({ url = '' }, response) => {
      this.asked.push(url);
      const answer = this.answers[url];
      if (answer === undefined) {
        response.writeHead(404).end();
      } else {
        answer(response, this.origin);
      }
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Publishes keys with a discovery document. */
  publish(jwks: unknown, headers: Record<string, string> = {}): void {
    this.answers = {
      '/.well-known/openid-configuration': json(() => ({
        issuer: this.origin,
        jwks_uri: `${this.origin}/jwks`,
      })),
      '/jwks': json(() => jwks, headers),
    };
  }
}

/** Answers with JSON. */
export function json(body: () => unknown, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body()));
}

/** For the body of a `describe`. */
export function sharedKeyServer(): KeyServer {
  const server = new KeyServer();
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
}
