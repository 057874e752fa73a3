import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  Get,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  Res,
  Scope,
  SetMetadata,
  UseInterceptors,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  authFeature,
  type Call,
  Endpoint,
  endpoints,
  KitAuthController,
  object,
  TEXT,
  value,
} from 'kit-auth/feature';
import { map } from 'rxjs';
import { BOTH, bodyOf, PASSWORD, sharedTestApp } from 'test-support';

const notesApi = endpoints({
  'POST notes/{id}': {
    id: 'appEditNote',
    summary: 'Edits a note',
    body: { first: TEXT, second: TEXT },
    answer: object({ id: TEXT }),
    status: 200,
  },
  'GET notes/{id}': {
    id: 'appNote',
    summary: 'Returns a note',
    answer: value<{ id: string } | undefined>(object({ id: TEXT }).json),
  },
});

const marking = (mark: string) =>
  class implements NestInterceptor {
    intercept(context: ExecutionContext, next: CallHandler) {
      const own = Reflect.getMetadata('own', context.getHandler()) as string;
      return next.handle().pipe(map((data: { id: string }) => ({ id: `${data.id} ${mark}${own}` })));
    }
  };

@Injectable()
class Notes {
  titleOf(id: string): string {
    return `note ${id}`;
  }
}

@KitAuthController()
class NotesController {
  constructor(private readonly notes: Notes) {}

  @UseInterceptors(marking('above'))
  @SetMetadata('own', '!')
  @Endpoint(notesApi, 'POST notes/{id}')
  @UseInterceptors(marking('below'))
  edit({ params, body }: Call<typeof notesApi, 'POST notes/{id}'>): { id: string } {
    return { id: `${this.notes.titleOf(params.id)} ${body.first} ${body.second}` };
  }
}

/** Its methods are bound for every request. */
@Injectable({ scope: Scope.REQUEST })
class OfRequest {
  readonly mark = 'of a request';
}

@KitAuthController()
class NoteController {
  constructor(
    private readonly own: OfRequest,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  @Endpoint(notesApi, 'GET notes/{id}')
  get(
    { params }: Call<typeof notesApi, 'GET notes/{id}'>,
    @Res({ passthrough: true }) response: unknown,
  ): { id: string } | undefined {
    if (params.id === 'later') {
      this.adapterHost.httpAdapter.status(response, 202);
      return undefined;
    }
    return { id: `${params.id} ${this.own.mark}` };
  }
}

class NotesModule extends authFeature('app-notes', {
  endpoints: notesApi,
  controllers: [NotesController, NoteController],
  providers: [Notes, OfRequest],
}) {}

@KitAuthController()
class PlainController {
  @UseInterceptors(marking('above'))
  @SetMetadata('own', '!')
  @Get('plain')
  @UseInterceptors(marking('below'))
  echo(): { id: string } {
    return { id: 'note 7 a b' };
  }
}

describe.each(BOTH)('a declared endpoint on %s', (platform) => {
  const app = sharedTestApp({ platform, imports: [NotesModule], controllers: [PlainController] });
  let token: string;
  beforeEach(async () => {
    token = await app.tokenOf(await app.user());
  });

  it('has decorators above and below, as any method of Nest', async () => {
    const { json } = await app.call(token, 'POST', 'notes/7', { first: 'a', second: 'b' });
    expect(json).toEqual({ id: 'note 7 a b above! below!' });
    expect((await app.call(token, 'GET', 'plain')).json).toEqual(json);
  });

  it('refuses a body that is not as declared', async () => {
    const { json } = await app.call(token, 'POST', 'notes/7', { first: 'a' });
    expect([json.code, json.message]).toEqual([
      40000,
      'Send a JSON object with the strings "first" and "second" as application/json',
    ]);
  });

  it('may take the response, and be of a request-scoped class', async () => {
    const found = await app.call(token, 'GET', 'notes/7');
    expect([found.status, found.json]).toEqual([200, { id: '7 of a request' }]);
    expect(found.headers['cache-control']).toBe('no-store');
    expect((await app.call(token, 'GET', 'notes/later')).status).toBe(202);
    expect((await app.call(undefined, 'GET', 'notes/7')).json.code).toBe(40100);
  });
});

const guarded: string[] = [];
const piped: unknown[] = [];

class OwnGuard implements CanActivate {
  canActivate(context: ExecutionContext) {
    guarded.push(`${context.getClass().name}.${context.getHandler().name}`);
    return true;
  }
}

class Envelope implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

class Spy implements PipeTransform {
  transform(value: unknown) {
    piped.push(value);
    return value;
  }
}

describe.each(BOTH)('declared endpoints in an application with enhancers of its own on %s', (platform) => {
  const app = sharedTestApp({
    platform,
    imports: [NotesModule],
    configure: (nest) => {
      nest.setGlobalPrefix('shop');
      nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '7' });
      nest.useGlobalGuards(new OwnGuard());
      nest.useGlobalInterceptors(new Envelope());
      nest.useGlobalPipes(
        new Spy(),
        new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, validateCustomDecorators: true }),
      );
    },
  });
  beforeEach(() => {
    guarded.splice(0);
    piped.splice(0);
  });

  it('have its prefix, no version, its guards and interceptors, and no pipes', async () => {
    const { username } = await app.user();
    const post = (path: string, json: object, token?: string) =>
      app.request(`/shop/v1/api/auth/${path}`, { method: 'POST', json, token });
    const login = bodyOf(await post('login', { username, password: PASSWORD, more: 1 }));
    const { token, user } = login.data as { token: string; user: object };
    expect(user).toMatchObject({ username });
    const edited = await post('notes/7', { first: 'a', second: 'b', more: 1 }, token);
    expect([edited.status, edited.json]).toEqual([200, { data: { id: 'note 7 a b above! below!' } }]);
    const confirmed = await post('fresh', { password: PASSWORD }, token);
    expect([confirmed.status, confirmed.json.data]).toEqual([200, { token: expect.any(String), user }]);
    expect(guarded).toEqual([
      'KitAuthLoginController.login',
      'NotesController.edit',
      'KitAuthAccountController.fresh',
    ]);
    expect(piped).toEqual([]);
  });
});
