import { Inject, Injectable } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  KIT_AUTH_SETTINGS,
  KitAuthContext,
  type KitAuthSettings,
  type LoginUser,
  type Principal,
} from 'kit-auth';
import { AccessChecker, PROTECTED } from 'kit-auth/tools';
import { ActiveProvider, Factors, type MessageContext, MessageContexts } from 'kit-auth/login';
import { invalidToken } from 'kit-auth/feature';
import { HEADER, hasMember, isRecord, MEMBER, missing, type WithUser } from './carried-data.js';
import { CarriedTokens } from './carried.tokens.js';
import { CARRIED, CarriedUsers } from './carried.users.js';

/** The job or message that carries a user. */
export interface CarriedMessage {
  /**
   * The name of the job, or the pattern of the message: `invoice.create` or `{ cmd: 'create' }`. For gRPC, the
   * path of the method: `/billing.Invoices/Create`. The user is refused with a job or message of another name.
   */
  readonly for: string | number | object;
}

/** A received job or message, with a name of any type. */
interface Arriving {
  readonly for: unknown;
  readonly headers?: object | undefined;
  /** True if it may carry no user. */
  readonly optional?: boolean | undefined;
}

/**
 * Carries the current user to jobs and messages: signed, for the name and the data of one job or message, and for as long as
 * `kit.auth.jobs.audiences` says. Only the id of the user is carried. `resume()` reloads the user with current roles.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class Reports {
 *   constructor(
 *     @InjectQueue('reports') private readonly queue: Queue,
 *     private readonly carrier: UserCarrier,
 *   ) {}
 *
 *   request(month: string) {
 *     return this.queue.add('report', this.carrier.data('reports', { month }, { for: 'report' }));
 *   }
 * }
 * ```
 */
@Injectable()
export class UserCarrier {
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly context: KitAuthContext,
    private readonly provider: ActiveProvider,
    private readonly contexts: MessageContexts,
    private readonly tokens: CarriedTokens,
    private readonly users: CarriedUsers,
    private readonly factors: Factors,
    private readonly checker: AccessChecker,
  ) {}

  /**
   * The data of a job or message, with the current user in its member `kitAuth`. Send it as it is: the user is refused with
   * other data.
   *
   * @param audience one of `kit.auth.jobs.audiences`
   * @param data an object that JSON can transport. Dates arrive as strings, as always
   * @param message the job or message that it is the data of. Without it, the log warns: anyone who can write to the broker can use
   * the user for another job or message with the same data
   * @throws AuthException 40100 without a current user; 40304 for API keys, whose limits cannot be carried; 40101
   * `logged-out` if the audience needs a login and the user has none; 40101 `expired` if the user was carried here, and the
   * time for that is over
   * @throws TypeError for data that can have no members, such as a Buffer, that has the member `kitAuth` already, or that JSON
   * cannot transport, such as `NaN`
   * @throws IllegalStateException for an unknown audience
   */
  data<T extends object>(audience: string, data: T, message?: CarriedMessage): WithUser<T> {
    if (!isRecord(data)) {
      throw new TypeError('data() takes a plain object. Send anything else with headers().');
    }
    const token = this.tokenFor(audience, data, message);
    return (token === undefined ? { ...data } : { ...data, [MEMBER]: token }) as WithUser<T>;
  }

  /**
   * The current user as a header, for messages of NATS, RabbitMQ, Kafka and gRPC, and for data that can have no members.
   *
   * @param data that is sent with the header
   * @param message the message
   * @throws like `data()`
   *
   * @example
   * ```ts
   * const headers = this.carrier.headers('billing', data, { for: 'invoice.create' });
   * client.send('invoice.create', new RmqRecordBuilder(data).setOptions({ headers }).build());
   * ```
   */
  headers(audience: string, data: unknown, message?: CarriedMessage): Record<string, string> {
    const token = this.tokenFor(audience, data, message);
    return token === undefined ? {} : { [HEADER]: token };
  }

  /**
   * Runs a function as the user that data carries, in a context of its own: `KitAuthContext` has the user in it, and in
   * everything that it starts, until the promise of the function settles. For consumers that are neither processors of
   * `@nestjs/bullmq` nor handlers of microservices.
   *
   * @param audience the data must be for it
   * @param data as it arrived, with its member `kitAuth`
   * @param headers those that arrived with it, if `headers()` made them: an object of strings or of Buffers as in Kafka, or one
   * with a method `get()` as in NATS
   * @param message the job or message, by the name that it has arrived with. Required if the user was carried for one
   * @throws AuthException 40100 if the data carries no user; 40101 with the reason `malformed`, `audience`, `signature`,
   * `expired`, `name`, `data`, `disabled` or `logged-out`; 40301 for a user who must choose a new password, and 40303 for one who needs
   * a second factor and was carried by a login without; 50300 if that cannot be checked now; and what the function throws
   *
   * @example
   * ```ts
   * await carrier.resume('reports', body, (user) => this.reports.create(user, body.month), undefined, { for: name });
   * ```
   */
  async resume<T>(
    audience: string,
    data: unknown,
    fn: (user: LoginUser) => T | Promise<T>,
    headers?: object & { readonly for?: never },
    message?: CarriedMessage,
  ): Promise<T> {
    const context = await this.open(audience, data, { for: message?.for, headers });
    try {
      return await context.run(async () => fn(this.context.get() as LoginUser));
    } finally {
      context.close();
    }
  }

  /**
   * The context of the user that data carries, to be closed by the caller. Without a user if kit-auth is off, or if an
   * optional one is missing.
   *
   * @internal
   */
  async open(audience: string, data: unknown, message: Arriving): Promise<MessageContext> {
    const principal = this.settings.enabled ? await this.principalOf(audience, data, message) : undefined;
    return this.contexts.open(principal, undefined);
  }

  private async principalOf(
    audience: string,
    data: unknown,
    { for: name, headers, optional = false }: Arriving,
  ): Promise<Principal | undefined> {
    this.tokens.audience(audience);
    const principal = await this.users.resolve({ audience, name, data }, headers);
    if (principal === undefined) {
      return optional ? undefined : missing();
    }
    this.checker.checkPasswordChange(principal.user, PROTECTED);
    this.checker.checkEnrolment(principal, PROTECTED);
    return principal;
  }

  /** @returns undefined if kit-auth is off */
  private tokenFor(
    audience: string,
    data: unknown,
    { for: name }: Partial<CarriedMessage> = {},
  ): string | undefined {
    if (hasMember(data)) {
      throw new TypeError(`The data has the member ${MEMBER} already. Carry it on without.`);
    }
    if (!this.settings.enabled) {
      return undefined;
    }
    const { needsLogin } = this.tokens.audience(audience);
    const { userId } = this.context.getOrThrow();
    const principal = this.context.principal();
    const isCarried = principal?.scheme === CARRIED;
    if (principal !== undefined && !isCarried && !this.provider.hasResolved(principal)) {
      throw AuthException.refusal(AuthErrorCode.KEY_NOT_ALLOWED, {
        message: 'Only the user of a login can be carried to jobs and messages',
      });
    }
    const { loginId, actor, expiresAt } = principal?.proof ?? {};
    if (needsLogin === true && loginId === undefined) {
      throw invalidToken('logged-out');
    }
    // The application answers for a user that it has chosen itself, with run().
    const secondFactor = principal === undefined || this.factors.isSecondShown(principal.proof);
    const carried = { audience, userId, loginId, actorId: actor?.userId, secondFactor };
    return this.tokens.sign(carried, { name, data }, isCarried ? expiresAt : undefined);
  }
}
