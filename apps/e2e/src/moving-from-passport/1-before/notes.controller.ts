import { Controller, Delete, Get, UseGuards } from '@nestjs/common';
import { JwtAuthGuard, type RequestUser, Roles, RolesGuard, User } from './guards.js';

@Controller('notes')
@UseGuards(JwtAuthGuard, RolesGuard)
export class NotesController {
  @Get()
  list(@User() user: RequestUser) {
    return { notesOf: user.username };
  }

  @Delete()
  @Roles('admin')
  clear(@User() user: RequestUser) {
    return { clearedBy: user.userId };
  }
}
