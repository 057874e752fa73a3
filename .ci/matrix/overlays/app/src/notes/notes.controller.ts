import { Controller, Delete, Get } from '@nestjs/common';
import { CurrentUser, type LoginUser, Public, RequirePermissions } from 'kit-auth';
import { NotesService } from './notes.service';

@Controller('v1/notes')
export class NotesController {
  constructor(private readonly notes: NotesService) {}

  @Get()
  async list(@CurrentUser() user: LoginUser) {
    return { user: user.username, notes: await this.notes.list() };
  }

  @Public()
  @Get('published')
  published() {
    return { open: true };
  }

  @Delete()
  @RequirePermissions('note:delete')
  remove() {
    return { removed: true };
  }
}
