/**
 * Injection token of the bus between the instances of an application. At most one module may contribute it. With two,
 * start-up fails with `IllegalStateException`. Without one, messages stay in the process.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: AUTH_BUS, useClass: NatsBus }] })
 * export class NatsBusModule {}
 * ```
 */
export const AUTH_BUS = Symbol.for('kit-auth.bus');

/**
 * Passes short texts between the instances of an application. It carries hints to look again, so it may lose, repeat and
 * reorder them.
 */
export interface AuthBus {
  /** Whether texts reach the other instances at present. */
  readonly isUp: boolean;
  /**
   * Sends a text to all instances, which may include this one. Does not throw, and does not wait: while the bus is down,
   * the text is lost.
   *
   * @param channel a name of `[a-z-]`
   * @param text at most 4 KB
   */
  publish(channel: string, text: string): void;
  /** Calls a function with each text of a channel. Called once for each channel, at start-up. */
  subscribe(channel: string, listener: (text: string) => void): void;
}
