import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Param,
  Patch,
  Post,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  Authorize,
  CurrentUser,
  type LoginUser,
  OptionalUser,
  Public,
  RequireFresh,
  RequirePermissions,
  RequireRoles,
} from 'kit-auth';
import { CreateNoteDto, UpdateNoteDto } from './note.dto.js';
import type { Note } from './note.entity.js';
import { EDITOR, MODERATE, READ, WRITE } from './note-roles.js';
import { NotesService } from './notes.service.js';
import { ParseIntegerPipe } from './parse-integer.pipe.js';
import { SeparationOfDuties } from './separation-of-duties.policy.js';

type FeedItem = Note & { own: boolean };

@ApiTags('notes')
@Controller('v1/notes')
export class NotesController {
  constructor(private readonly notes: NotesService) {}

  @Get()
  @RequirePermissions(READ)
  list(): Promise<Note[]> {
    return this.notes.listOwn();
  }

  /** A public route of a protected controller. */
  @Get('published')
  @Public()
  published(): Promise<Note[]> {
    return this.notes.listPublished();
  }

  /** The same for everybody, and users see which notes are their own. */
  @Get('feed')
  @OptionalUser()
  async feed(@CurrentUser() user: LoginUser | undefined): Promise<FeedItem[]> {
    const notes = await this.notes.listPublished();
    return notes.map((note) => Object.assign(note, { own: note.authorId === user?.userId }));
  }

  /** All own notes at once: a stolen token alone must not get them. The time is short, so that it is over soon. */
  @Get('export')
  @RequirePermissions(READ)
  @RequireFresh('30s')
  @Header('Content-Disposition', 'attachment; filename="notes.json"')
  export(): Promise<Note[]> {
    return this.notes.listOwn();
  }

  /** What is public, for those who may change that. */
  @Get('moderation')
  @RequirePermissions(MODERATE)
  moderation(): Promise<Note[]> {
    return this.notes.listPublished();
  }

  /** A second look at what is public, by editors who administer nothing. */
  @Get('review')
  @RequireRoles(EDITOR)
  @Authorize(SeparationOfDuties)
  review(): Promise<Note[]> {
    return this.notes.listPublished();
  }

  @Get(':id')
  @RequirePermissions(READ)
  get(@Param('id', ParseIntegerPipe) id: number): Promise<Note> {
    return this.notes.get(id);
  }

  @Post()
  @RequirePermissions(WRITE)
  create(@Body() input: CreateNoteDto): Promise<Note> {
    return this.notes.create(input);
  }

  @Patch(':id')
  @RequirePermissions(WRITE)
  update(@Param('id', ParseIntegerPipe) id: number, @Body() input: UpdateNoteDto): Promise<Note> {
    return this.notes.update(id, input);
  }

  @Delete(':id')
  @RequirePermissions(WRITE)
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@Param('id', ParseIntegerPipe) id: number): Promise<void> {
    return this.notes.remove(id);
  }

  /** Removes any user's note from the public list. For editors. */
  @Delete(':id/publication')
  @RequirePermissions(MODERATE)
  @HttpCode(HttpStatus.NO_CONTENT)
  unpublish(@Param('id', ParseIntegerPipe) id: number): Promise<void> {
    return this.notes.unpublish(id);
  }
}
