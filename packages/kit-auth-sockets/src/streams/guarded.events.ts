type Events = AsyncIterator<unknown, unknown>;

/** A pending `next()` call. */
interface Waiting {
  readonly resolve: (result: IteratorResult<unknown>) => void;
  readonly reject: (error: Error) => void;
}

/** True for events, false for a single answer. */
export function isEvents(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as Partial<AsyncIterable<unknown>> | undefined)?.[Symbol.asyncIterator] === 'function';
}

/** Events of a handler that can be stopped from outside, also while the next one is awaited. */
export class GuardedEvents implements AsyncIterableIterator<unknown> {
  private readonly source: Events;
  private waiting: Waiting | undefined;
  private isStopped = false;
  private error: Error | undefined;

  /** @param ended called when there are no more events, once or several times */
  constructor(
    source: AsyncIterable<unknown>,
    private readonly ended: () => void,
  ) {
    this.source = source[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      if (this.error !== undefined) {
        reject(this.error);
      } else if (!this.isStopped) {
        void this.pass(this.waiting);
      }
    });
  }

  async return(value?: unknown): Promise<IteratorResult<unknown>> {
    this.ended();
    this.waiting?.resolve({ done: true, value: undefined });
    return this.source.return?.(value) ?? { done: true, value };
  }

  async throw(error?: unknown): Promise<IteratorResult<unknown>> {
    this.ended();
    if (this.source.throw === undefined) {
      throw error;
    }
    return this.source.throw(error);
  }

  /**
   * Passes no more events on, and leaves the source.
   *
   * @param error rejects the pending `next()`. Without one, that stays pending until `return()` is called, so that
   * the server of GraphQL does not tell the client that the subscription is complete
   */
  stop(error?: Error): void {
    this.isStopped = true;
    this.error = error;
    if (error !== undefined) {
      this.waiting?.reject(error);
    }
    void this.leave();
  }

  /** Sources are code of the application: one that fails must not keep other connections open. */
  private async leave(): Promise<void> {
    try {
      await this.source.return?.();
    } catch {
      // its result is not used
    }
  }

  private async pass({ resolve, reject }: Waiting): Promise<void> {
    try {
      const result = await this.source.next();
      if (result.done === true) {
        this.ended();
      }
      if (!this.isStopped) {
        resolve(result);
      }
    } catch (error) {
      this.ended();
      if (!this.isStopped) {
        reject(error as Error);
      }
    }
  }
}
