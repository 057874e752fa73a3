import { Controller, Get } from '@nestjs/common';
import { CurrentUser, type LoginUser, RequireRoles, RequireToken } from 'kit-auth';

@Controller('reports')
@RequireToken()
export class ReportsController {
  @Get()
  list(@CurrentUser() user: LoginUser) {
    return { reportsFor: user.nickname };
  }

  @Get('costs')
  @RequireRoles('admin')
  costs() {
    return { costs: 42 };
  }
}
