import { EventEmitter, on } from 'node:events';
import { Injectable } from '@nestjs/common';
import {
  Args,
  Field,
  Mutation,
  ObjectType,
  Query,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql';
import { CurrentUser, KitAuthContext, type LoginUser, OptionalUser, Public, RequireRoles } from 'kit-auth';
import { Seen } from './gateways.js';

interface Published {
  readonly note: string;
}

/** One source of events for all users. */
@Injectable()
export class Notes {
  private readonly emitter = new EventEmitter();

  publish(note: string): void {
    this.emitter.emit('note', { note } satisfies Published);
  }

  get listeners(): number {
    return this.emitter.listenerCount('note');
  }

  listen(): AsyncIterableIterator<Published> {
    const events = on(this.emitter, 'note');
    const step = async (result: Promise<IteratorResult<Published[]>>) => {
      const { value, done } = await result;
      return done === true
        ? { done, value: undefined }
        : { done: false as const, value: value[0] as Published };
    };
    return {
      next: () => step(events.next() as Promise<IteratorResult<Published[]>>),
      return: () => step(events.return?.() as Promise<IteratorResult<Published[]>>),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }
}

@ObjectType()
class Note {
  @Field(() => String)
  text!: string;
}

@Resolver(() => Note)
export class NotesResolver {
  constructor(
    private readonly context: KitAuthContext,
    private readonly notes: Notes,
    private readonly seen: Seen,
  ) {}

  @Query(() => String, { nullable: true })
  me(@CurrentUser() user: LoginUser | undefined) {
    return user?.username;
  }

  @Mutation(() => String)
  @RequireRoles('editor')
  edit() {
    return 'edited';
  }

  @Query(() => String, { nullable: true })
  @Public()
  open() {
    return this.context.get()?.username ?? 'nobody';
  }

  /** Events that name the user in their text, and those for everybody. */
  @Subscription(() => Note, {
    filter(this: NotesResolver, { note }: Published, { all }: { all: boolean }) {
      const { username } = this.context.getOrThrow();
      return all || note.includes(username);
    },
    resolve(this: NotesResolver, { note }: Published) {
      this.seen.note(`resolve ${this.context.get()?.username}`);
      return { text: `${note} resolved for ${this.context.get()?.username}` };
    },
  })
  noteAdded(@CurrentUser() user: LoginUser, @Args('all', { type: () => Boolean }) all: boolean) {
    this.seen.note(`noteAdded ${user.username} ${all}`);
    return this.notes.listen();
  }

  @ResolveField(() => String, { nullable: true })
  reader(@CurrentUser() user: LoginUser | undefined) {
    return user?.username;
  }

  @Subscription(() => String, { resolve: ({ note }: Published) => note })
  @RequireRoles('editor')
  edits() {
    return this.notes.listen();
  }

  @Subscription(() => String, { resolve: ({ note }: Published) => note })
  @Public()
  news() {
    return this.notes.listen();
  }

  @Subscription(() => String, {
    resolve(this: NotesResolver, { note }: Published) {
      return `${note} for ${this.context.get()?.username ?? 'nobody'}`;
    },
  })
  @OptionalUser()
  offers() {
    return this.notes.listen();
  }

  /** Events of a generator, which tells when it is left. */
  @Subscription(() => String, { resolve: (text: string) => text })
  async *counted() {
    let count = 0;
    try {
      for await (const { note } of this.notes.listen()) {
        yield `${++count} ${note} ${this.context.get()?.username}`;
      }
    } finally {
      this.seen.note('left');
    }
  }
}
