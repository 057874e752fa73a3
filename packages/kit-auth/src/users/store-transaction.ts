import type { AuthAction } from '../contract/auth-event.js';
import type { AccountChange, AuthUserStore } from '../contract/user-store.js';
import { failureOf } from '../ports/failure.js';

type Store = Required<Pick<AuthUserStore, 'transaction'>>;

/**
 * Runs work in a transaction of a user store, which may run it again, for example after a deadlock.
 *
 * @throws AuthException 50300 when `transaction()` resolves although the work has not succeeded: nothing was changed then
 */
export async function inTransactionOf<T>(
  store: Store,
  action: AuthAction,
  work: (change: AccountChange) => Promise<T>,
): Promise<T> {
  let done: { readonly result: T } | undefined;
  await store.transaction(action, async (change) => {
    done = undefined;
    done = { result: await work(change) };
    return done.result;
  });
  return resultOf(done, store);
}

function resultOf<T>(done: { readonly result: T } | undefined, store: Store): T {
  if (done === undefined) {
    const error = new TypeError('it resolved, but the work that it was given has not succeeded');
    throw failureOf(error, `transaction() of ${store.constructor.name}`);
  }
  return done.result;
}
