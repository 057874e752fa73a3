import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from 'kit-auth';
import { DataSource } from 'typeorm';

/** Open as a whole: monitors have no token. */
@ApiTags('status')
@Public()
@Controller('v1/status')
export class StatusController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  status(): { status: string; uptimeSeconds: number } {
    return { status: 'ok', uptimeSeconds: Math.floor(process.uptime()) };
  }

  @Get('database')
  async database(): Promise<{ status: string; type: string }> {
    await this.dataSource.query('SELECT 1');
    return { status: 'ok', type: this.dataSource.options.type };
  }
}
