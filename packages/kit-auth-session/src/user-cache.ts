import type { LoginUser, UserId } from 'kit-auth';
import { ShortCache } from 'kit-auth/extend';

/** Caches users for `userCacheSeconds`. */
export class UserCache extends ShortCache<UserId, LoginUser> {}
