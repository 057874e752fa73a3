import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { AuthException, AuthMessages, Principal } from 'kit-auth';
import { currentMessage } from 'kit-auth/login';
import { type Connection, Connections } from './connections/connection.js';
import { LoginChecks } from './checks/login.checks.js';
import { SocketRegistry } from './connections/socket.registry.js';

const MAX_IN_A_MINUTE = 20;
const MINUTE_MS = 60_000;

/** Closes sockets whose messages are refused again and again. */
@Injectable()
export class MessageRefusals {
  private readonly counts = new WeakMap<Connection, { since: number; count: number }>();

  constructor(private readonly registry: SocketRegistry) {}

  note(connection: Connection): void {
    const now = Date.now();
    const known = this.counts.get(connection);
    const current = known !== undefined && now - known.since < MINUTE_MS ? known : { since: now, count: 0 };
    this.counts.set(connection, current);
    if (++current.count >= MAX_IN_A_MINUTE) {
      void this.registry.end([connection], { code: 4429, reason: 'too-many-refusals' });
    }
  }
}

/** Finds the sender of a message of a gateway, or of an operation of a GraphQL subscription, for the guard. */
@Injectable()
export class SocketMessages implements AuthMessages {
  readonly types = ['ws', 'graphql'] as const;
  private readonly refused = new WeakSet<object>();

  constructor(
    private readonly connections: Connections,
    private readonly checks: LoginChecks,
    private readonly refusals: MessageRefusals,
  ) {}

  principalOf(context: ExecutionContext): Principal | undefined | Promise<Principal | undefined> {
    const connection = this.connectionOf(context);
    if (connection === undefined) {
      return undefined;
    }
    return this.checks.isCertain(connection) ? connection.principal : this.checks.principalOf(connection);
  }

  refusal(error: AuthException, context: ExecutionContext): AuthException {
    const connection = this.connectionOf(context);
    if (connection !== undefined && this.isFirst(context)) {
      this.refusals.note(connection);
    }
    return error;
  }

  /** Counts one refusal for each message: the resolvers of an operation share its variable values. */
  private isFirst(context: ExecutionContext): boolean {
    const info =
      context.getType<string>() === 'graphql'
        ? context.getArgByIndex<{ readonly variableValues?: object } | undefined>(3)
        : undefined;
    const operation = info?.variableValues;
    const isFirst = operation === undefined || !this.refused.has(operation);
    if (operation !== undefined) {
      this.refused.add(operation);
    }
    return isFirst;
  }

  private connectionOf(context: ExecutionContext) {
    const current = currentMessage();
    return current === undefined
      ? this.connections.of(context.getArgByIndex<object>(0))
      : this.connections.ofContext(current);
  }
}
