import type { ExternalIdentity } from './external-identity.js';

/** What a new account gets. */
export interface SignUp {
  /** Codes of roles. A role with permissions under `auth:` is refused. Default: none. */
  readonly roles?: readonly string[] | undefined;
  /** The name that people see, if the user does not choose one. Default: that of the provider, or of the address. */
  readonly nickname?: string | undefined;
}

/**
 * Decides who gets an account with an unknown identity. Its address is verified. Add the class to the providers of a module.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class StaffOnly implements SignUpPolicy {
 *   decide({ address }: ExternalIdentity): SignUp | undefined {
 *     return address?.endsWith('@example.com') === true ? { roles: ['STAFF'] } : undefined;
 *   }
 * }
 *
 * KitAuthOidcModule.forRoot({ signUp: StaffOnly, ... });
 * ```
 */
export interface SignUpPolicy {
  /**
   * Called when the user comes back from the provider. The account can be created in the ten minutes after. An error counts
   * as 50300.
   *
   * @returns undefined to refuse
   */
  decide(identity: ExternalIdentity): SignUp | undefined | Promise<SignUp | undefined>;
}
