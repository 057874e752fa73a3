import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { NoteRoles } from './note-roles.js';
import { Note } from './note.entity.js';
import { NotesController } from './notes.controller.js';
import { NotesService } from './notes.service.js';
import { NotesV2Controller } from './notes-v2.controller.js';
import { SeparationOfDuties } from './separation-of-duties.policy.js';

@Module({
  imports: [TypeOrmModule.forFeature([Note])],
  controllers: [NotesController, NotesV2Controller],
  providers: [NotesService, NoteRoles, SeparationOfDuties],
})
export class NotesModule {}
