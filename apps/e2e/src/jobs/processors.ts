import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Body, Controller, Injectable, Post, Query, Scope } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { CurrentUser, KitAuthContext, type LoginUser } from 'kit-auth';
import { AsCarriedUser, UserCarrier } from 'kit-auth-jobs';

interface Report {
  readonly month: string;
  readonly step?: number;
}

/** What processors and their listeners have seen. */
@Injectable()
export class Worked {
  readonly failed: unknown[] = [];
  /** Runs at the start of each attempt. */
  before: (job: Job<Report>) => unknown = () => undefined;
}

/** Puts jobs of the current user into queues. */
@Controller('v1/reports')
export class ReportsController {
  constructor(
    @InjectQueue('reports') private readonly reports: Queue,
    @InjectQueue('scoped') private readonly scoped: Queue,
    @InjectQueue('distant') private readonly distant: Queue,
    private readonly carrier: UserCarrier,
  ) {}

  @Post()
  async create(@Body() data: object, @Query('queue') queue: 'reports' | 'scoped' | 'distant' = 'reports') {
    const options = { attempts: 5, backoff: { type: 'fixed', delay: 1 } };
    const { id } = await this[queue].add(
      'report',
      this.carrier.data('reports', data, { for: 'report' }),
      options,
    );
    return { id };
  }
}

@Processor('reports', { concurrency: 4 })
export class Reports extends WorkerHost {
  constructor(
    private readonly context: KitAuthContext,
    private readonly carrier: UserCarrier,
    private readonly worked: Worked,
  ) {
    super();
  }

  @AsCarriedUser('reports')
  async process(job: Job<Report>, token?: string, signal?: AbortSignal, @CurrentUser() user?: LoginUser) {
    await this.worked.before(job);
    if (job.data.step === 1) {
      await job.updateData(this.carrier.data('reports', { ...job.data, step: 2 }, { for: job.name }));
      throw new Error('the next attempt has new data');
    }
    return {
      data: job.data,
      user: user?.username,
      context: this.context.get()?.username,
      roles: user?.roles,
      hasToken: typeof token === 'string',
      hasSignal: signal instanceof AbortSignal,
    };
  }

  @OnWorkerEvent('failed')
  onFailed({ data, attemptsMade, failedReason }: Job<Report>) {
    this.worked.failed.push({ data, attemptsMade, failedReason });
  }
}

/** A new instance for each job. */
@Processor({ name: 'scoped', scope: Scope.REQUEST })
export class Scoped extends WorkerHost {
  constructor(private readonly context: KitAuthContext) {
    super();
  }

  @AsCarriedUser('reports')
  async process({ data }: Job<Report>) {
    return { data, context: this.context.get()?.username };
  }
}

/** In another application than the others. */
@Processor('distant')
export class Distant extends WorkerHost {
  constructor(private readonly context: KitAuthContext) {
    super();
  }

  @AsCarriedUser('reports')
  async process({ data }: Job<Report>) {
    const { username, roles } = this.context.getOrThrow();
    return { data, username, roles };
  }
}
