import { InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq';
import { Body, Controller, Injectable, Post } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { AuthErrorCode, AuthException, hasPermission, KitAuthContext, RequirePermissions } from 'kit-auth';
import { AsCarriedUser, UserCarrier } from 'kit-auth-jobs';

export interface ReportJob {
  month: string;
}

@Controller('v1/reports')
export class ReportsController {
  constructor(
    @InjectQueue('reports') private readonly queue: Queue<ReportJob>,
    private readonly carrier: UserCarrier,
  ) {}

  @Post()
  @RequirePermissions('report:create')
  async create(@Body() { month }: ReportJob) {
    await this.queue.add('report', this.carrier.data('reports', { month }, { for: 'report' }));
  }
}

@Injectable()
export class ReportsService {
  constructor(private readonly context: KitAuthContext) {}

  /** Called by handlers and by jobs. The user is the same in both. */
  create(month: string): string {
    const user = this.context.getOrThrow();
    if (!hasPermission(user, 'report:create')) {
      throw new AuthException(AuthErrorCode.FORBIDDEN);
    }
    return `report of ${month} for ${user.username}`;
  }
}

@Processor('reports')
export class ReportsProcessor extends WorkerHost {
  constructor(private readonly reports: ReportsService) {
    super();
  }

  @AsCarriedUser('reports')
  async process({ data }: Job<ReportJob>) {
    return this.reports.create(data.month);
  }
}
