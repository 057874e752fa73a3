import { Controller, Get } from '@nestjs/common';
import { RequirePermissions } from 'kit-auth';
import { AuthAudit } from 'kit-auth-admin';
import { TestApp, type TestAppOptions } from 'test-support';
import type { Repository } from 'typeorm';

@Controller('v1/notes')
class NotesController {
  @Get()
  @RequirePermissions('note:read')
  list() {
    return [];
  }
}

/** An application with management endpoints, and with `GET /v1/notes`, which takes `note:read`. */
export class AdminApp extends TestApp {
  constructor({ options, ...more }: TestAppOptions) {
    super({
      admin: true,
      controllers: [NotesController],
      options: {
        password: { queue: 1000 },
        jwt: { secret: 's'.repeat(32) },
        login: { throttle: false },
        ...options,
      },
      ...more,
    });
  }

  get audit(): Repository<AuthAudit> {
    return this.rowsOf(AuthAudit);
  }
}
