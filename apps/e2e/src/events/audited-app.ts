import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as tick } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AUTH_EVENT_SINK, type AuthEvent, type AuthEventSink } from 'kit-auth';
import { bearer, requestOf, type TestAppOptions } from 'test-support';
import type { EntityManager } from 'typeorm';
import { AdminApp } from '../admin/app.js';

/** A sink beside the audit log. Does nothing until a test says what. */
@Injectable()
export class TestSink implements AuthEventSink {
  keeping: (event: AuthEvent, manager?: EntityManager) => Promise<void> = async () => undefined;

  keep(event: AuthEvent, manager?: EntityManager): Promise<void> {
    return this.keeping(event, manager);
  }
}

/** Follows the connections of its server, so that a test can wait until the server sees them go. */
export class AuditedApp extends AdminApp {
  /** Of the server; the closed ones too. */
  private readonly connections: Socket[] = [];
  /** Local ports of clients that the server has not seen yet. */
  private readonly expected = new Set<number>();

  constructor(options: TestAppOptions) {
    super({ providers: [TestSink, { provide: AUTH_EVENT_SINK, useExisting: TestSink }], ...options });
  }

  override async start(): Promise<this> {
    await super.start();
    this.server.on('connection', (socket) => {
      this.connections.push(socket);
      this.expected.delete(socket.remotePort as number);
    });
    return this;
  }

  get sink(): TestSink {
    return this.get(TestSink);
  }

  /** Sends a request whose answer nobody waits for. @returns its connection */
  async send(token: string | undefined, method: string, path: string, body: unknown): Promise<Socket> {
    const socket = connect(this.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    if (!this.connections.some(({ remotePort }) => remotePort === socket.localPort)) {
      this.expected.add(socket.localPort as number);
    }
    socket.write(requestTo(token, method, path, body));
    return socket;
  }

  /** Sends a request and resets its connection before this process sees it: nobody can tell its address then. */
  sendAndReset(token: string, method: string, path: string, body: unknown): void {
    const script = `
      const socket = require('node:net').connect(${this.port}, '127.0.0.1', () =>
        socket.write(Buffer.from(process.argv[1], 'base64'), () => socket.resetAndDestroy()));`;
    const bytes = requestTo(token, method, path, body).toString('base64');
    const { status } = spawnSync(process.execPath, ['-e', script, bytes], { env: {} });
    if (status !== 0) {
      throw new Error('the request was not sent');
    }
  }

  /** Resets a connection, and waits until the server knows. */
  async hangUp(socket: Socket): Promise<void> {
    const ofServer = this.connections.find(({ remotePort }) => remotePort === socket.localPort);
    socket.resetAndDestroy();
    if (ofServer?.closed === false) {
      // `once` of node:events would reject: the reset is an error.
      await new Promise((resolve) => ofServer.once('close', resolve));
    }
  }

  /** Waits until the server has seen all connections come and go. */
  async disconnected(): Promise<void> {
    while (this.expected.size > 0 || this.connections.some(({ closed }) => !closed)) {
      await tick();
    }
  }
}

function requestTo(token: string | undefined, method: string, path: string, body: unknown): Buffer {
  const headers = [...(token === undefined ? [] : [bearer(token)]), 'Content-Type: application/json'];
  return requestOf(`/v1/api/auth/${path}`, { method, headers, body: JSON.stringify(body) });
}
