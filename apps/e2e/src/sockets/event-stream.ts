import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { until } from 'test-support';
import { TestClient } from '../access/clients-app.js';

/** A client of server-sent events. They end with the server's last byte (`ended`), or with the connection (`aborted`). */
export class EventStream extends TestClient {
  status: number | undefined;
  /** The body, as far as it has come. */
  text = '';
  private readonly request: ClientRequest;

  constructor(port: number, path: string, token?: string) {
    super();
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    this.request = get({ port, path, headers, agent: false }, (response) => this.read(response));
    this.request.on('error', () => (this.end ??= 'aborted'));
  }

  /** Resolves when the headers have come, and with them the stream, which is empty. */
  async opened(): Promise<this> {
    await until(() => this.status);
    await until(() => (this.text !== '' || this.end !== undefined ? true : undefined));
    return this;
  }

  /** The data of all events so far. */
  get events(): string[] {
    return [...this.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data as string);
  }

  /** Resolves when the event has come. */
  async has(data: string): Promise<string> {
    return until(() => this.events.find((event) => event === data));
  }

  leave(): void {
    this.request.destroy();
  }

  private read(response: IncomingMessage): void {
    this.status = response.statusCode;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => (this.text += chunk));
    response.on('end', () => (this.end ??= 'ended'));
    response.on('error', () => (this.end ??= 'aborted'));
  }
}
