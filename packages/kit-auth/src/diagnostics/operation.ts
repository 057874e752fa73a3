import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type {
  AuthHashMessage,
  AuthOperationMessage,
  AuthResolveMessage,
  AuthStoreMessage,
} from './messages.js';
import { outcomeOf } from './outcome-of.js';

/**
 * A kind of work that others can observe, on the tracing channel of its name. Other than with the methods of
 * `TracingChannel`, messages contain neither results nor errors, and work without a promise stays without.
 *
 * @example
 * return storeCalls.isObserved
 *   ? storeCalls.run({ store: 'keys', operation: 'find' }, () => this.load(id))
 *   : this.load(id);
 */
export class Operation<Message extends AuthOperationMessage> {
  private readonly channel: TracingChannel<unknown, Message>;

  constructor(name: string) {
    this.channel = tracingChannel<unknown, Message>(name);
  }

  /** Ask first: nothing should be made for nobody. */
  get isObserved(): boolean {
    return this.channel.hasSubscribers;
  }

  /** Runs work between the messages `start` and `end`, and `asyncStart` and `asyncEnd` if it returns a promise. */
  run<T>(message: Message, work: () => T): T {
    const { start, end, asyncStart, asyncEnd, error } = this.channel;
    const fail = (thrown: unknown): void => {
      Object.assign(message, outcomeOf(thrown));
      error.publish(message);
    };
    const settled = (): void => {
      asyncStart.publish(message);
      asyncEnd.publish(message);
    };
    return start.runStores(message, () => {
      try {
        const result = message.around === undefined ? work() : message.around(work);
        if (result instanceof Promise) {
          return result.then(
            (value: unknown) => {
              message.outcome = 'succeeded';
              settled();
              return value;
            },
            (thrown: unknown) => {
              fail(thrown);
              settled();
              throw thrown;
            },
          ) as T;
        }
        message.outcome = 'succeeded';
        return result;
      } catch (thrown) {
        fail(thrown);
        throw thrown;
      } finally {
        end.publish(message);
      }
    });
  }
}

export const resolutions = new Operation<AuthResolveMessage>('kit-auth:resolve');
export const hashes = new Operation<AuthHashMessage>('kit-auth:hash');
export const storeCalls = new Operation<AuthStoreMessage>('kit-auth:store');
