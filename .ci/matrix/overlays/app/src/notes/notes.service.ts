import { Injectable } from '@nestjs/common';
import { KitAuthContext } from 'kit-auth';

@Injectable()
export class NotesService {
  constructor(private readonly context: KitAuthContext) {}

  async list() {
    await new Promise((resolve) => setImmediate(resolve));
    return [`a note of ${this.context.getOrThrow().username}`];
  }
}
