import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { KitAuthContext } from 'kit-auth';
import { Repository } from 'typeorm';
import type { CreateNoteDto, UpdateNoteDto } from './note.dto.js';
import { Note } from './note.entity.js';

/** Users see and change only their own notes. For other users, a note does not exist. */
@Injectable()
export class NotesService {
  constructor(
    @InjectRepository(Note) private readonly notes: Repository<Note>,
    private readonly context: KitAuthContext,
  ) {}

  listOwn(): Promise<Note[]> {
    return this.notes.find({ where: { authorId: this.authorId() }, order: { id: 'ASC' } });
  }

  async pageOfOwn(page: number, size: number): Promise<{ items: Note[]; total: number }> {
    const [items, total] = await this.notes.findAndCount({
      where: { authorId: this.authorId() },
      order: { id: 'ASC' },
      skip: (page - 1) * size,
      take: size,
    });
    return { items, total };
  }

  listPublished(): Promise<Note[]> {
    return this.notes.find({ where: { published: true }, order: { id: 'ASC' } });
  }

  create({ title, text, published = false }: CreateNoteDto): Promise<Note> {
    return this.notes.save({ title, text, published, authorId: this.authorId() });
  }

  async get(id: number): Promise<Note> {
    const note = await this.notes.findOneBy({ id, authorId: this.authorId() });
    if (note === null) {
      throw new NotFoundException(`There is no note ${id} of yours`);
    }
    return note;
  }

  async update(id: number, input: UpdateNoteDto): Promise<Note> {
    return this.notes.save(this.notes.merge(await this.get(id), input));
  }

  async remove(id: number): Promise<void> {
    await this.notes.remove(await this.get(id));
  }

  /** Applies to notes of any author. */
  async unpublish(id: number): Promise<void> {
    const { affected } = await this.notes.update({ id, published: true }, { published: false });
    if (affected === 0) {
      throw new NotFoundException(`There is no published note ${id}`);
    }
  }

  private authorId(): number {
    return this.context.getOrThrow().userId;
  }
}
