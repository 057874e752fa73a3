import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLModule } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { type Client, createClient } from 'graphql-ws';
import { GraphqlSubscriptions } from 'kit-auth-sockets';
import { until } from 'test-support';
import { WebSocket } from 'ws';
import { ClientsApp, type ClientsAppOptions, TestClient } from '../access/clients-app.js';
import { Notes, NotesResolver } from './graphql-resolvers.js';

export type GraphqlServer = 'apollo' | 'mercurius';

export interface GraphqlAppOptions extends ClientsAppOptions {
  server?: GraphqlServer;
  /** A path of its own for subscriptions of Apollo. */
  path?: string;
}

/** Apollo without its HTTP server, whose integration with Fastify is a package of its own. */
class ApolloSockets extends ApolloDriver {
  override registerServer(): Promise<void> {
    return Promise.resolve();
  }
}

function serverModule(server: GraphqlServer, isFastify: boolean, path?: string) {
  if (server === 'apollo') {
    return GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: isFastify ? ApolloSockets : ApolloDriver,
      inject: [GraphqlSubscriptions],
      useFactory: (subscriptions: GraphqlSubscriptions) => ({
        autoSchemaFile: true,
        subscriptions: {
          'graphql-ws': { ...subscriptions.options(), ...(path !== undefined && { path }) },
        },
      }),
    });
  }
  return GraphQLModule.forRootAsync<MercuriusDriverConfig>({
    driver: MercuriusDriver,
    inject: [GraphqlSubscriptions],
    useFactory: (subscriptions: GraphqlSubscriptions) => ({
      autoSchemaFile: true,
      subscription: { ...subscriptions.mercurius(), fullWsTransport: true },
    }),
  });
}

/** An application with GraphQL subscriptions. */
export class GraphqlApp extends ClientsApp<GraphqlClient> {
  private readonly path: string;

  constructor({ server = 'apollo', imports = [], path, ...options }: GraphqlAppOptions = {}) {
    super({
      ...options,
      options: { protect: ['/graphql'], ...options.options },
      imports: [serverModule(server, options.platform === 'fastify', path), ...imports],
      providers: [Notes, NotesResolver],
    });
    this.path = path ?? '/graphql';
  }

  get notes(): Notes {
    return this.get(Notes);
  }

  /** A client with `connectionParams`, or with a token of the upgrade in `headers`. */
  graphql(params?: Record<string, unknown>, headers: Record<string, string> = {}): GraphqlClient {
    return this.add(new GraphqlClient(`ws://127.0.0.1:${this.port}${this.path}`, params, headers));
  }
}

interface GraphqlErrorBody {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly originalError?: object };
}

/** A client of graphql-ws. */
export class GraphqlClient extends TestClient {
  private readonly client: Client;

  constructor(url: string, params: Record<string, unknown> | undefined, headers: Record<string, string>) {
    super();
    class Socket extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols, { headers });
      }
    }
    this.client = createClient({
      url,
      webSocketImpl: Socket,
      lazy: false,
      retryAttempts: 0,
      onNonLazyError: () => undefined,
      ...(params !== undefined && { connectionParams: params }),
    });
    this.client.on('closed', (event) => {
      const { code, reason } = event as { code: number; reason: string };
      this.end ??= `${code} ${reason}`;
    });
  }

  leave(): void {
    void this.client.dispose();
  }

  /** Starts an operation. */
  start(query: string): Operation {
    const operation = new Operation();
    operation.leave = this.client.subscribe(
      { query },
      {
        next: (result) => operation.next(result),
        error: (error) => operation.fail(error),
        complete: () => operation.complete(),
      },
    );
    return operation;
  }

  /** Starts a subscription of one of the resolvers, and waits until it listens. */
  async listening(query: string, { notes }: GraphqlApp): Promise<Operation> {
    const before = notes.listeners;
    const operation = this.start(`subscription { ${query} }`);
    await until(() => (notes.listeners > before || operation.isOver ? true : undefined));
    return operation;
  }

  /** The data of a query or mutation, or the first error. */
  async ask(query: string): Promise<unknown> {
    const operation = this.start(query);
    await until(() => (operation.isOver ? true : undefined));
    return operation.error ?? operation.data[0];
  }
}

export class Operation {
  readonly data: unknown[] = [];
  error: GraphqlErrorBody | undefined;
  isOver = false;
  leave: () => void = () => undefined;

  next({ data, errors }: { data?: unknown; errors?: readonly GraphqlErrorBody[] | undefined }): void {
    if (errors === undefined) {
      this.data.push(data);
    } else {
      this.error = errors[0];
    }
  }

  /** Called with errors of the server, or with the event that closed the connection. */
  fail(error: unknown): void {
    this.error = Array.isArray(error) ? (error[0] as GraphqlErrorBody) : (error as GraphqlErrorBody);
    this.isOver = true;
  }

  complete(): void {
    this.isOver = true;
  }

  /** The next event, which is taken out. */
  event(): Promise<unknown> {
    return until(() => this.data.shift());
  }

  /** Why it was refused or ended. */
  async refusal(): Promise<GraphqlErrorBody> {
    return until(() => this.error);
  }
}
