import { Logger } from '@nestjs/common';
import { describeError } from '../errors/describe.js';

/** The first run starts within this time: a process that restarts often must also clean. */
const FIRST_WITHIN_MS = 60_000;
const INTERVAL_MS = 60 * 60_000;

/**
 * Deletes old data about once an hour, beginning within a minute. The times are random, so that instances which start
 * together do not all clean at once. The timer does not keep the process alive.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class KeyCleaner implements OnModuleInit, OnApplicationShutdown {
 *   private readonly cleaner: PeriodicCleaner;
 *
 *   constructor(keys: ApiKeys, @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings) {
 *     this.cleaner = new PeriodicCleaner('expired API keys', () => keys.deleteExpired({ limit: 1000 }));
 *   }
 *
 *   onModuleInit(): void {
 *     if (this.settings.enabled) {
 *       this.cleaner.start();
 *     }
 *   }
 *
 *   onApplicationShutdown(): void {
 *     this.cleaner.stop();
 *   }
 * }
 * ```
 */
export class PeriodicCleaner {
  private readonly logger = new Logger('KitAuth');
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  /**
   * @param what named in the log, for example `old sessions`
   * @param deleteBatch deletes some old data and returns how much it was. It is called until it returns 0. Several
   * instances of the application may call it at once.
   */
  constructor(
    private readonly what: string,
    private readonly deleteBatch: () => number | Promise<number>,
  ) {}

  start(): void {
    this.cleanIn(FIRST_WITHIN_MS * Math.random());
  }

  /** Cleans now. Never rejects: a failure is logged as a warning. */
  async clean(): Promise<void> {
    try {
      while (!this.isStopped && (await this.deleteBatch()) > 0);
    } catch (error) {
      this.logger.warn(`[auth] cleaning up ${this.what} failed: ${describeError(error)}`);
    }
  }

  /** Ends the timer. A run in progress ends after its current batch. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private cleanIn(delayMs: number): void {
    this.timer = setTimeout(() => {
      void this.clean();
      this.cleanIn(INTERVAL_MS * (0.75 + Math.random() / 2));
    }, delayMs).unref();
  }
}
