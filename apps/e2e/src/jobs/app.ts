import { Body, Controller, Post, Query } from '@nestjs/common';
import { AuthEvents, AuthException, KitAuthContext, type LoginUser } from 'kit-auth';
import { type KitAuthJobsOptions, KitAuthJobsModule, UserCarrier } from 'kit-auth-jobs';
import { AllowKeys, KitAuthKeysModule } from 'kit-auth-keys';
import { ListeningApp, type TestAppOptions } from 'test-support';

export const JOBS: KitAuthJobsOptions = {
  keys: ['j'.repeat(32)],
  audiences: { reports: { hours: 24 }, billing: { seconds: 60 } },
};

export interface JobsAppOptions extends TestAppOptions {
  jobs?: KitAuthJobsOptions;
}

/** The name of all jobs of these tests. */
const REPORT = { for: 'report' };

/** Data with its user, as JSON transports it. */
export type Sent = Readonly<Record<string, unknown>>;

/** Answers with the data of a job, instead of putting it into a queue. */
@Controller('v1/jobs')
class JobsController {
  constructor(private readonly carrier: UserCarrier) {}

  @Post()
  @AllowKeys()
  create(@Query('audience') audience: string, @Body() data: object) {
    return this.carrier.data(audience, data, REPORT);
  }
}

/** An application whose users can be carried. */
export class JobsApp extends ListeningApp {
  constructor({ jobs = JOBS, ...options }: JobsAppOptions = {}) {
    super(
      { admin: true, ...options },
      { imports: [KitAuthJobsModule.forRoot(jobs), KitAuthKeysModule], controllers: [JobsController] },
    );
  }

  get carrier(): UserCarrier {
    return this.get(UserCarrier);
  }

  /** The data of a job that a request of a user creates, or the code of the refusal. */
  async carry(
    token: string | undefined,
    data: object = { month: 'May' },
    audience = 'reports',
  ): Promise<Sent> {
    const { json } = await this.request(`/v1/jobs?audience=${audience}`, {
      method: 'POST',
      token,
      json: data,
    });
    return json as Sent;
  }

  /** Runs as the user that data carries. Returns what the code then sees, or the code and the reason of the refusal. */
  async resume(data: unknown, audience = 'reports', headers?: object): Promise<unknown> {
    try {
      return await this.carrier.resume(audience, data, (user) => this.seen(user), headers, REPORT);
    } catch (error) {
      if (error instanceof AuthException) {
        return `${error.code} ${error.reason}`;
      }
      throw error;
    }
  }

  /** The user of the context, with an event. */
  private seen({ username, roles, permissions }: LoginUser) {
    const context = this.get(KitAuthContext);
    this.get(AuthEvents).begin().note({ type: 'user-changed', detail: 'a job' });
    const { scheme, proof } = context.principal()!;
    return { username, roles, permissions, scheme, proof, isSame: context.get()!.username === username };
  }
}
