import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ATTEMPT_EVENTS, ActiveUserStore, Ports } from 'kit-auth/feature';
import { ActiveProvider } from 'kit-auth/login';
import {
  AUTH_BUS,
  type AuthBus,
  type AuthEvent,
  type AuthEventSink,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type LoginEnd,
  type LoginEndListener,
  type UserId,
} from 'kit-auth';
import type { Bearer } from '../connections/connection.js';
import { LoginChecks } from './login.checks.js';
import { SocketRegistry } from '../connections/socket.registry.js';

const CHANNEL = 'kit-auth-logins';
/** A hint may come from a transaction that is still open, so the logins are checked again. */
const LAST_LOOK_MS = 5000;
const LOOKS_MS = [1000, LAST_LOOK_MS];
/** The checks of all users of a role are spread over this time. */
const SPREAD_MS = 2000;
const TURNS = 20;

/** Events after which the logins of their subject are checked. */
const OF_USERS: ReadonlySet<string> = new Set([
  'logout',
  'logged-out-by-provider',
  'login-ended',
  'sessions-ended',
  'token-reused',
  'key-ended',
  'password-changed',
  'password-reset',
  'user-changed',
  'user-status-changed',
  'user-roles-changed',
  'user-deleted',
]);
/** Events after which the logins of all users with the role are checked. */
const OF_ROLES: ReadonlySet<string> = new Set(['role-changed', 'role-deleted']);

/**
 * A message on the bus: the user or the role code that may have changed, and the sending instance. It proves nothing, so a
 * forged one costs a look-up.
 */
interface Hint {
  readonly u?: UserId;
  readonly r?: string;
  readonly from?: string;
}

/** Hears that logins may have ended, here and on other instances, and has the sockets of their users checked. */
@Injectable()
export class Hints implements LoginEndListener, AuthEventSink, OnModuleInit, OnApplicationShutdown {
  readonly ignores = ATTEMPT_EVENTS;
  /** Grows with every hint. */
  hintsSoFar = 0;
  private readonly instance = randomUUID();
  /** The planned checks of users. */
  private readonly planned = new Map<UserId, NodeJS.Timeout[]>();
  private readonly turns = new Set<NodeJS.Timeout>();
  private bus: AuthBus | undefined;

  constructor(
    private readonly checks: LoginChecks,
    private readonly registry: SocketRegistry,
    private readonly provider: ActiveProvider,
    private readonly users: ActiveUserStore,
    private readonly ports: Ports,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  onModuleInit(): void {
    if (this.settings.enabled) {
      this.bus = this.ports.only<AuthBus>(AUTH_BUS, 'AuthBus', ['publish', 'subscribe']);
      this.bus?.subscribe(CHANNEL, (text) => this.receive(text));
    }
  }

  onApplicationShutdown(): void {
    [...this.turns, ...[...this.planned.values()].flat()].forEach((timer) => clearTimeout(timer));
    this.turns.clear();
    this.planned.clear();
  }

  ended({ userId }: LoginEnd): void {
    this.tell({ u: userId });
  }

  async keep(): Promise<void> {}

  committed({ type, subjectId, subject }: AuthEvent): void {
    if (OF_USERS.has(type) && subjectId !== null) {
      this.tell({ u: subjectId });
    } else if (OF_ROLES.has(type) && subject !== null) {
      this.tell({ r: subject });
    }
  }

  /** Checks a token that was admitted while a hint came. */
  lookAt(bearer: Bearer): void {
    bearer.hint();
    this.checks.enqueue(bearer);
  }

  private tell(hint: Hint): void {
    this.bus?.publish(CHANNEL, JSON.stringify({ ...hint, from: this.instance }));
    this.hear(hint);
  }

  private receive(text: string): void {
    const { u, r, from } = parsed(text);
    if (from === this.instance) {
      return;
    }
    if (typeof u === this.users.idType) {
      this.provider.userChanged(u);
      this.hear({ u: u as UserId });
    } else if (typeof r === 'string') {
      this.provider.userChanged();
      this.hear({ r });
    }
  }

  private hear({ u, r }: Hint): void {
    this.hintsSoFar++;
    if (u !== undefined) {
      this.planned.get(u)?.forEach((timer) => clearTimeout(timer));
      this.planned.set(
        u,
        LOOKS_MS.map((ms) => this.planLook(u, ms)),
      );
      this.lookAtUser(u);
    } else {
      this.lookAtRole(r as string);
    }
  }

  private planLook(userId: UserId, ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      if (ms === LAST_LOOK_MS) {
        this.planned.delete(userId);
      }
      this.lookAtUser(userId);
    }, ms).unref();
  }

  private lookAtUser(userId: UserId): void {
    this.registry.bearersOf(userId).forEach((bearer) => this.lookAt(bearer));
  }

  /** Their messages wait for the check, whenever its turn comes. */
  private lookAtRole(role: string): void {
    const bearers = [...this.registry.all()].filter(({ principal }) => principal.user.roles.includes(role));
    const turn = Math.ceil(bearers.length / TURNS);
    bearers.forEach((bearer, i) => {
      bearer.hint();
      if (i % turn === 0) {
        const rest = bearers.slice(i, i + turn);
        const timer = setTimeout(
          () => {
            this.turns.delete(timer);
            rest.forEach((waiting) => this.checks.enqueue(waiting));
          },
          (i / turn) * (SPREAD_MS / TURNS),
        ).unref();
        this.turns.add(timer);
      }
    });
  }
}

function parsed(text: string): Hint {
  try {
    return (JSON.parse(text) ?? {}) as Hint;
  } catch {
    return {};
  }
}
