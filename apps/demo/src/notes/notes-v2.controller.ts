import { Controller, DefaultValuePipe, Get, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type LoginUser, RequirePermissions } from 'kit-auth';
import type { Note } from './note.entity.js';
import { READ } from './note-roles.js';
import { NotesService } from './notes.service.js';
import { ParseIntegerPipe } from './parse-integer.pipe.js';

const PAGE_SIZE = 20;

@ApiTags('notes')
@Controller('v2/notes')
export class NotesV2Controller {
  constructor(private readonly notes: NotesService) {}

  /** The second version of the list: in pages, and with its author. */
  @Get()
  @RequirePermissions(READ)
  @ApiQuery({ name: 'page', required: false, example: 1 })
  async list(
    @CurrentUser() user: LoginUser,
    @Query('page', new DefaultValuePipe(1), ParseIntegerPipe) page: number,
  ): Promise<{ author: string; items: Note[]; total: number }> {
    return { author: user.nickname, ...(await this.notes.pageOfOwn(Math.max(1, page), PAGE_SIZE)) };
  }
}
