import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public, RequirePermissions } from 'kit-auth';
import { CreateNoteDto, UpdateNoteDto } from './note.dto.js';
import type { Note } from './note.entity.js';
import { MODERATE, READ, WRITE } from './note-roles.js';
import { NotesService } from './notes.service.js';
import { ParseIntegerPipe } from './parse-integer.pipe.js';

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
