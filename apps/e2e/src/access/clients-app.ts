import { KitAuthSocketsModule, type KitAuthSocketsOptions, SocketRegistry } from 'kit-auth-sockets';
import { TestApp, type TestAppOptions, until } from 'test-support';
import { Seen } from '../sockets/gateways.js';

export interface ClientsAppOptions extends TestAppOptions {
  sockets?: KitAuthSocketsOptions;
}

/** A client of a socket, which does not reconnect. */
export abstract class TestClient {
  /** How the connection ended, for example `4401 kicked` if the server closed or refused it. */
  end: string | undefined;

  abstract leave(): void;

  /** Resolves when the server has closed or refused the connection. */
  closed(): Promise<string> {
    return until(() => this.end);
  }
}

/** An application with sockets. Its clients leave before it ends. */
export class ClientsApp<T extends TestClient> extends TestApp {
  private readonly clients = new Set<T>();

  constructor({ sockets = {}, ...options }: ClientsAppOptions) {
    super(options, { imports: [KitAuthSocketsModule.forRoot(sockets)], providers: [Seen] });
  }

  get registry(): SocketRegistry {
    return this.get(SocketRegistry);
  }

  get seen(): string[] {
    return this.get(Seen).lines;
  }

  protected add(client: T): T {
    this.clients.add(client);
    return client;
  }

  /** Disconnects all clients. */
  leaveAll(): void {
    this.clients.forEach((client) => client.leave());
    this.clients.clear();
  }

  override async close(): Promise<void> {
    this.leaveAll();
    await super.close();
  }
}
