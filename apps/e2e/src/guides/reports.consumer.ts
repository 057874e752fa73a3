import { Injectable, Logger } from '@nestjs/common';
import { hasPermission, KitAuthContext, type UserId } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/extend';

/** What the job has in its payload: who asked, and what for. No token, and no copy of the roles. */
export interface ReportJob {
  userId: UserId;
  month: string;
}

@Injectable()
export class ReportsService {
  constructor(private readonly context: KitAuthContext) {}

  /** Also called by handlers, where the guard has set the user. */
  create(month: string): string {
    const { username } = this.context.getOrThrow();
    return `report of ${month} for ${username}`;
  }
}

@Injectable()
export class ReportsConsumer {
  private readonly logger = new Logger('Reports');

  constructor(
    private readonly users: ActiveUserStore,
    private readonly context: KitAuthContext,
    private readonly reports: ReportsService,
  ) {}

  async process({ userId, month }: ReportJob): Promise<string | undefined> {
    const user = await this.users.loadLoginUser(userId); // with the roles and permissions of today
    if (user === undefined || !hasPermission(user, 'report:create')) {
      this.logger.warn(`No report for user ${userId}: disabled, deleted, or without report:create`);
      return undefined;
    }
    return this.context.run(user, async () => this.reports.create(month));
  }
}
