import { Controller, Delete, Get } from '@nestjs/common';
import { type LoginUser, RequireRoles, RequireToken } from 'kit-auth';
import { User } from '../1-before/guards.js';

@Controller('notes')
@RequireToken()
export class NotesController {
  @Get()
  list(@User() user: LoginUser) {
    return { notesOf: user.username };
  }

  @Delete()
  @RequireRoles('admin')
  clear(@User() user: LoginUser) {
    return { clearedBy: user.userId };
  }
}
