import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { AuthMessages, Principal } from 'kit-auth';
import { missing } from '../carrying/carried-data.js';
import { CarriedTokens } from '../carrying/carried.tokens.js';
import { CarriedUsers } from '../carrying/carried.users.js';
import { jobsOptions, type ResolvedJobsOptions } from '../jobs.options.js';
import { carriedUserOf } from '../handlers/as-carried-user.decorator.js';
import { headersOf, messageNameOf } from './rpc.context.js';
import { admit } from './message.interceptor.js';

/** Finds the user of a message of a microservice, for the guard. */
@Injectable()
export class RpcMessages implements AuthMessages {
  readonly types = ['rpc'] as const;

  constructor(
    @Inject(jobsOptions.token) private readonly options: ResolvedJobsOptions,
    private readonly tokens: CarriedTokens,
    private readonly users: CarriedUsers,
  ) {}

  /**
   * @throws AuthException like `UserCarrier.resume()`; 40100 with `kit.auth.jobs.rpc: 'require'`, and on handlers with
   * `@AsCarriedUser()`, unless it is optional
   */
  async principalOf(context: ExecutionContext): Promise<Principal | undefined> {
    const [data, rpcContext] = context.getArgs<[unknown, unknown]>();
    const carried = carriedUserOf(context.getClass(), context.getHandler());
    const principal = await this.users.resolve(
      { audience: carried?.audience ?? this.tokens.soleName(), name: messageNameOf(context), data },
      headersOf(rpcContext),
    );
    if (principal !== undefined) {
      admit(context, principal);
    } else if (
      carried?.optional !== true &&
      (carried !== undefined || this.options.settings.rpc === 'require')
    ) {
      missing();
    }
    return principal;
  }
}
