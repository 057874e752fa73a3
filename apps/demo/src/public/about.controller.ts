import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

/** Not marked in any way: `/v1/public/**` is on the white-list. */
@ApiTags('public')
@Controller('v1/public/about')
export class AboutController {
  @Get()
  about(): { name: string; docs: string } {
    return { name: 'kit-auth demo', docs: '/docs' };
  }
}
