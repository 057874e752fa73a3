import { Injectable, Logger } from '@nestjs/common';
import { IllegalStateException, type ListedUser, type LoginUser, type UserId } from 'kit-auth';
import { ActiveUserStore, badRequest, LoginThrottle, notFound, unavailable } from 'kit-auth/extend';
import { type Query, readPage, readText } from '../input/page.js';
import {
  type ListedPage,
  type ListedUserView,
  statusOf,
  viewOfListed,
  viewOfLoaded,
} from './listed-user.view.js';

const BATCH = 1000;

/** Reads the users of any user store with `listUsers` and `loadLoginUser`. */
@Injectable()
export class ListedUsers {
  private readonly logger = new Logger('KitAuth');

  constructor(
    private readonly users: ActiveUserStore,
    private readonly throttle: LoginThrottle,
  ) {}

  /** @throws AuthException 40400 */
  async get(text: string): Promise<ListedUserView> {
    const { loaded, listed } = await this.find(text);
    return loaded === undefined
      ? viewOfListed(listed, await this.throttle.lockedUntil(listed.username))
      : viewOfLoaded(loaded, await this.throttle.lockedUntil(loaded.username));
  }

  /**
   * Finds a user. Those who cannot be loaded, because they are disabled, are looked for in the list.
   *
   * @param text the id in the path
   * @throws AuthException 40400
   */
  async find(
    text: string,
  ): Promise<{ loaded: LoginUser; listed?: undefined } | { loaded?: undefined; listed: ListedUser }> {
    const id = this.users.idFrom(text);
    if (id === undefined) {
      throw notFound('User');
    }
    const loaded = await this.users.loadLoginUser(id);
    if (loaded !== undefined) {
      return { loaded };
    }
    const listed = await this.listed(id);
    if (listed === undefined) {
      throw notFound('User');
    }
    return { listed };
  }

  /**
   * @param query `status`, `page`, `size`
   * @throws AuthException 40000, also for `q` and `role`, which the user store cannot answer
   */
  async page(query: Query): Promise<ListedPage> {
    const { page, size, skip } = readPage(query);
    const status = readText(query, 'status');
    if (status !== undefined && status !== 'ENABLED' && status !== 'DISABLED') {
      throw badRequest('status must be ENABLED or DISABLED');
    }
    for (const name of ['q', 'role']) {
      if (readText(query, name) !== undefined) {
        throw badRequest(
          `${name} is not supported: the user store lists its users, but does not search them`,
        );
      }
    }
    const found: ListedUser[] = [];
    let matches = 0;
    // One more than is wanted shows whether the page is the last.
    for await (const user of this.all(status === undefined ? skip + size + 1 : undefined)) {
      if (status === undefined || statusOf(user.enabled) === status) {
        matches++;
        if (matches > skip + size) {
          break;
        }
        if (matches > skip) {
          found.push(user);
        }
      }
    }
    const items = found.map(async (user) =>
      viewOfListed(user, await this.throttle.lockedUntil(user.username)),
    );
    return { items: await Promise.all(items), page, size, total: matches > skip + size ? null : matches };
  }

  private async listed(id: UserId): Promise<ListedUser | undefined> {
    if (typeof id === 'number') {
      const [next] = await this.users.listUsers({ after: id - 1, limit: 1 });
      return next?.id === id ? next : undefined;
    }
    // No string is known to be just before another in the order of the store.
    for await (const user of this.all()) {
      if (user.id === id) {
        return user;
      }
    }
    return undefined;
  }

  /**
   * All users, ordered by id, read in batches.
   *
   * @param wanted how many the caller reads at most, so that the store is not asked for more
   */
  private async *all(wanted = Number.POSITIVE_INFINITY): AsyncGenerator<ListedUser> {
    let last: UserId | undefined;
    let left = wanted;
    while (left > 0) {
      const limit = Math.min(BATCH, left);
      const batch = await this.users.listUsers({ ...(last !== undefined && { after: last }), limit });
      const end = batch.at(-1)?.id;
      if (end === undefined) {
        return;
      }
      if (end === last) {
        throw this.endless();
      }
      yield* batch;
      last = end;
      left -= batch.length;
    }
  }

  private endless(): Error {
    const cause = new IllegalStateException(
      `${this.users.get().constructor.name}.listUsers() returned the same page again: it ignores page.after.`,
    );
    this.logger.error(`[auth] ${cause.message}`);
    return unavailable(cause);
  }
}
