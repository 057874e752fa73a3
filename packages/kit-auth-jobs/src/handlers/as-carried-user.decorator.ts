import { Inject } from '@nestjs/common';
import { CUSTOM_ROUTE_ARGS_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { AuthErrorCode, AuthException, IllegalStateException, type LoginUser } from 'kit-auth';
import { decoratedMethodOf, decoratedTarget } from 'kit-auth/feature';
import { isCurrentUser } from 'kit-auth/login';
import { withoutMember } from '../carrying/carried-data.js';
import { UserCarrier } from '../carrying/user.carrier.js';

const CARRIED_USER = 'kit-auth:carried-user';
/** The key of the metadata of `@MessagePattern()` and `@EventPattern()`. */
const MESSAGE_HANDLER = 'microservices:handler_type';
/** Where Nest puts the carrier of an instance. Named for the message of Nest when there is none. */
const CARRIER = Symbol('UserCarrier of KitAuthJobsModule');

export interface AsCarriedUserOptions {
  /**
   * Whether a job or message may carry no user. `KitAuthContext` then has no user, even if the sender
   * had one. A job with a user who is refused still fails. Default: `false`.
   */
  readonly optional?: boolean;
}

/** The arguments of the decorator. */
interface CarriedUser extends AsCarriedUserOptions {
  readonly audience: string;
}

/** The part of a job of BullMQ, and of similar queues, that is used here. */
interface Job {
  readonly name: unknown;
  data: unknown;
}

type Method = (this: Processor, ...parts: unknown[]) => unknown;
type Processor = Readonly<Record<typeof CARRIER, UserCarrier | undefined>>;

/**
 * Runs a method that processes a job as the user that the data of the job carries. Its first parameter is the job, whose data
 * has no member `kitAuth` meanwhile. The user must be carried for the name of the job. A parameter with `@CurrentUser()` is the user.
 *
 * A job without a user, or with one who is refused, fails with the error `UnrecoverableError`, so that BullMQ does not retry
 * it. If the user cannot be checked, it fails with 50300, and BullMQ retries it as configured.
 *
 * On a handler of microservices, it says for which audience messages must carry their user, also with `rpc: 'allow'`. It is
 * needed if the application has several audiences. Start-up fails beside `@Public()`, with which no user is read.
 *
 * @param audience one of `kit.auth.jobs.audiences`. Start-up fails for another
 * @param options pass `{ optional: true }` for jobs that scripts and schedulers add, too
 *
 * @example
 * ```ts
 * @Processor('reports')
 * export class ReportsProcessor extends WorkerHost {
 *   constructor(private readonly reports: Reports) {
 *     super();
 *   }
 *
 *   @AsCarriedUser('reports')
 *   process({ data }: Job<{ month: string }>, token?: string, @CurrentUser() user?: LoginUser) {
 *     return this.reports.create(data.month, user); // KitAuthContext has the user, too
 *   }
 * }
 * ```
 */
export const AsCarriedUser =
  (audience: string, options: AsCarriedUserOptions = {}): MethodDecorator =>
  (target, name, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as Method;
    const carried: CarriedUser = { ...options, audience };
    const ofUser = userParameters(target, name);
    const asUser = async function (this: Processor, ...parts: unknown[]): Promise<unknown> {
      // A decorator between this one and that of the pattern may have replaced the method.
      return isMessageHandler(Reflect.get(target, name) as object)
        ? method.apply(this, parts)
        : process(carrierOf(this), carried, parts, (user) =>
            method.apply(this, withUser(parts, user, ofUser)),
          );
    };
    // Nest reads the name, and BullMQ passes its signal to functions with three parameters.
    Object.defineProperties(asUser, { name: { value: method.name }, length: { value: method.length } });
    for (const key of Reflect.getOwnMetadataKeys(method) as unknown[]) {
      Reflect.defineMetadata(key, Reflect.getOwnMetadata(key, method), asUser);
    }
    descriptor.value = asUser;
    Reflect.defineMetadata(CARRIED_USER, carried, decoratedTarget(target, name, descriptor));
    Inject(UserCarrier)(target, CARRIER);
  };

/** The arguments of `@AsCarriedUser()` on a method. Undefined without the decorator. */
export function carriedUserOf(type: object, method: object): CarriedUser | undefined {
  return Reflect.getMetadata(CARRIED_USER, decoratedMethodOf(type, method)) as CarriedUser | undefined;
}

export function isMessageHandler(method: object): boolean {
  return Reflect.hasMetadata(MESSAGE_HANDLER, method);
}

async function process(
  carrier: UserCarrier,
  { audience, optional }: CarriedUser,
  [job]: unknown[],
  method: (user: LoginUser | undefined) => unknown,
): Promise<unknown> {
  const sent = job as Job;
  const { name, data } = sent;
  const context = await carrier.open(audience, data, { for: name, optional }).catch(refuseForGood);
  const plain = withoutMember(data);
  sent.data = plain;
  try {
    return await context.run(async () => method(context.user));
  } finally {
    context.close();
    // Listeners of the worker may put the job into another queue. But the method may have updated the data.
    sent.data = sent.data === plain ? data : sent.data;
  }
}

/** BullMQ retries all errors but those of this name. */
class UnrecoverableError extends Error {
  override readonly name = 'UnrecoverableError';
}

function refuseForGood(error: unknown): never {
  if (error instanceof AuthException && isFinal(error)) {
    const { reason, message } = error;
    throw new UnrecoverableError(reason === undefined ? message : `${message}: ${reason}`, { cause: error });
  }
  throw error;
}

const FINAL: readonly number[] = [
  AuthErrorCode.TOKEN_MISSING,
  AuthErrorCode.TOKEN_INVALID,
  AuthErrorCode.PASSWORD_CHANGE_REQUIRED,
  AuthErrorCode.FACTOR_ENROLMENT_REQUIRED,
];

function isFinal({ code }: AuthException): boolean {
  return FINAL.includes(code);
}

function carrierOf({ [CARRIER]: carrier }: Processor): UserCarrier {
  if (carrier === undefined) {
    throw new IllegalStateException(
      '@AsCarriedUser() works on classes that Nest creates. Provide the class itself, not a value or the result of a factory.',
    );
  }
  return carrier;
}

/** The indexes of parameters with `@CurrentUser()`. Nest fills them for handlers of requests and messages only. */
function userParameters({ constructor }: object, name: string | symbol): number[] {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, constructor, name) ?? {}) as Record<
    string,
    { index: number; factory?: unknown }
  >;
  return Object.entries(parameters)
    .filter(([key, { factory }]) => key.includes(CUSTOM_ROUTE_ARGS_METADATA) && isCurrentUser(factory))
    .map(([, { index }]) => index);
}

function withUser(parts: unknown[], user: unknown, indexes: readonly number[]): unknown[] {
  const filled = [...parts];
  indexes.forEach((index) => (filled[index] = user));
  return filled;
}
