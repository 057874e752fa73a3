import { describe, expect, it } from '@jest/globals';
import { Param, SetMetadata } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import type { LoginAnswer } from '../login/login.flow.js';
import { KitAuthController } from './controller.js';
import {
  type AnswerOf,
  type Call,
  Endpoint,
  endpoints,
  type GotOf,
  handledBy,
  type SentOf,
  statusOf,
} from './endpoint.js';
import { FLAG, INTEGER, list, object, optional, REMEMBER, TEXT, TIME } from './schema.js';

const api = endpoints({
  'POST notes/{id}': {
    id: 'editNote',
    summary: 'Edits a note',
    body: { title: TEXT, count: optional(INTEGER) },
    query: { all: FLAG },
    answer: object({ id: TEXT, at: TIME }),
    status: 200,
  },
  'POST notes': {
    id: 'addNote',
    summary: 'Adds a note',
    body: { title: TEXT, text: TEXT, remember: REMEMBER },
    answer: object({ id: TEXT }),
  },
  'GET notes': { id: 'listNotes', summary: 'Lists the notes', answer: list(TEXT) },
  'DELETE notes/{id}': { id: 'removeNote', summary: 'Removes a note' },
  'POST notes/login': {
    id: 'logIn',
    summary: 'Logs in',
    isPublic: true,
    body: { first: optional(TEXT), second: optional(TEXT) },
    readsBody: true,
    login: true,
  },
});
const NOW = new Date(0);
const USER = { userId: 7, username: 'ada', nickname: 'Ada', superAdmin: false };
const seen = (mark: string) => SetMetadata('mark', mark);

@KitAuthController()
class NotesController {
  @seen('above')
  @Endpoint(api, 'POST notes/{id}')
  async edit({ params, body, query }: Call<typeof api, 'POST notes/{id}'>, ...more: unknown[]) {
    const parts: [string, string, number | undefined, boolean | undefined] = [
      params.id,
      body.title,
      body.count,
      query.all,
    ];
    return { id: [...parts, ...more].join(' '), at: NOW };
  }

  @Endpoint(api, 'POST notes')
  @seen('below')
  add({ body }: Call<typeof api, 'POST notes'>): { id: string } {
    return { id: `${body.title} ${body.text} ${String(body.remember)}` };
  }

  @Endpoint(api, 'GET notes')
  list() {
    return ['x'];
  }

  @Endpoint(api, 'DELETE notes/{id}')
  async remove(_: { params: { id: string } }, @Param() params: object): Promise<void> {
    expect(params).toBe('all');
  }

  @Endpoint(api, 'POST notes/login')
  logIn({ body, request }: Call<typeof api, 'POST notes/login'>): LoginAnswer {
    const none: undefined = body;
    return { token: String(none), user: request.body } as unknown as LoginAnswer;
  }
}

/** As Nest calls it: with the request, and the parameters that have decorators. */
const call = (method: keyof NotesController, request: object, ...more: unknown[]): unknown =>
  (Reflect.get(NotesController.prototype, method) as (...args: unknown[]) => unknown).call(
    {},
    { headers: { 'content-type': 'application/json' }, ...request },
    ...more,
  );
const methodOf = (name: keyof NotesController) =>
  Reflect.get(NotesController.prototype, name) as { name: string };
const metadataOf = (method: keyof NotesController, key: string): unknown =>
  Reflect.getMetadata(key, methodOf(method));
const refusal = (message: string) => expect.objectContaining({ code: 40000, message });

describe('@Endpoint()', () => {
  it('makes an ordinary route of Nest, with the name of its method', () => {
    const [, ...methods] = Object.getOwnPropertyNames(NotesController.prototype) as (keyof NotesController)[];
    expect(methods.map((name) => metadataOf(name, PATH_METADATA))).toEqual([
      'notes/:id',
      'notes',
      'notes',
      'notes/:id',
      'notes/login',
    ]);
    expect(metadataOf('remove', METHOD_METADATA)).toBe(3);
    expect(methods.map((name) => methodOf(name).name)).toEqual(methods);
  });

  it('keeps the metadata of decorators above and below it', () => {
    expect([metadataOf('edit', 'mark'), metadataOf('add', 'mark')]).toEqual(['above', 'below']);
  });

  it('answers with the status that follows from the declaration', () => {
    expect(metadataOf('remove', HTTP_CODE_METADATA)).toBe(204);
    const of = (key: keyof typeof api) => statusOf(key.split(' ')[0] as 'GET', api[key]);
    expect(Object.fromEntries(Object.keys(api).map((key) => [key, of(key as keyof typeof api)]))).toEqual({
      'POST notes/{id}': 200,
      'POST notes': 201,
      'GET notes': 200,
      'DELETE notes/{id}': 204,
      'POST notes/login': 201,
    });
  });

  it('passes the parameters, the body and the query, and nothing that is not declared', async () => {
    const request = { params: { id: '7' }, query: { all: 'true', more: '1' }, body: { title: 'x', more: 2 } };
    expect(await call('edit', request, 'further')).toEqual({ id: '7 x  true further', at: NOW });
    expect(call('add', { body: { title: 'x', text: 'y', remember: 5 } })).toEqual({ id: 'x y 5' });
    expect(call('list', {})).toEqual(['x']);
    await call('remove', { params: { id: '7' } }, 'all');
  });

  it('refuses a body and a query before the handler runs', () => {
    const edit = (body: unknown, query = {}) => call('edit', { params: { id: '7' }, query, body });
    expect(() => edit({ title: 'x', count: 'y' })).toThrow(refusal('"count" must be a whole number'));
    expect(() => edit({ title: 'x' }, { all: '1' })).toThrow(refusal('all must be true or false'));
    expect(() => edit(Object.create({ title: 'x' }))).toThrow(/the strings "title"/);
  });

  it.each([undefined, [], { title: 'x' }, { title: 7, text: 'y' }, { title: 'x', text: ' ' }])(
    'names all strings of a body that lacks one: %j',
    (body) => {
      expect(() => call('add', { body })).toThrow(
        refusal('Send a JSON object with the strings "title" and "text" as application/json'),
      );
    },
  );

  it('leaves the body of an endpoint with several forms to its handler', () => {
    expect(call('logIn', { body: { first: 7 } })).toEqual({ token: 'undefined', user: { first: 7 } });
    expect(call('logIn', { body: undefined })).toEqual({ token: 'undefined', user: undefined });
  });

  it('names the keys that there are, and the methods', () => {
    const known = endpoints({ 'GET notes': { id: 'notes', summary: 'Lists notes' } }) as object;
    expect(() => Endpoint(known, 'GET note' as never)).toThrow(
      "@Endpoint(): 'GET note' is not declared. Declared are 'GET notes'",
    );
    const wrong = { 'GETS notes': { id: 'notes', summary: 'Lists notes' } };
    expect(() => Endpoint(wrong, 'GETS notes')).toThrow(
      "endpoints(): 'GETS notes' must begin with GET, POST, PUT, PATCH, DELETE, and a space",
    );
  });

  it('is found again', () => {
    const other = class {
      method() {}
    };
    expect(handledBy(NotesController, methodOf('add'))).toMatchObject({
      key: 'POST notes',
      isAlone: true,
    });
    expect(handledBy(other, Reflect.get(other.prototype, 'method') as object)).toBeUndefined();
  });
});

describe('the types of a declaration', () => {
  it('are those of the handler', () => {
    const wrong = () => {
      class Wrong {
        // @ts-expect-error -- answers a number
        @Endpoint(api, 'POST notes/{id}') async a() {
          return { id: 7, at: NOW };
        }
        // @ts-expect-error -- a string in clients only
        @Endpoint(api, 'POST notes/{id}') async b() {
          return { id: '7', at: '1970-01-01T00:00:00.000Z' };
        }
        // @ts-expect-error -- takes a member that is not declared
        @Endpoint(api, 'POST notes') c({ body }: { body: { name: string } }) {
          return { id: body.name };
        }
        // @ts-expect-error -- takes a member of another type
        @Endpoint(api, 'POST notes') d({ body }: { body: { title: number } }) {
          return { id: String(body.title) };
        }
        // @ts-expect-error -- count may be absent
        @Endpoint(api, 'POST notes/{id}') e({ body }: { body: { title: string; count: number } }) {
          return { id: String(body.count), at: NOW };
        }
        // @ts-expect-error -- another parameter
        @Endpoint(api, 'DELETE notes/{id}') async f({ params }: { params: { key: string } }): Promise<void> {
          expect(params).toBeDefined();
        }
        // @ts-expect-error -- the call of another endpoint
        @Endpoint(api, 'GET notes') g({ body }: Call<typeof api, 'POST notes'>) {
          return [body.title];
        }
        // @ts-expect-error -- no such endpoint
        @Endpoint(api, 'GET note') h() {
          return [];
        }
        // @ts-expect-error -- the answer is a list
        @Endpoint(api, 'GET notes') i() {
          return 'x';
        }
        // @ts-expect-error -- answers nothing
        @Endpoint(api, 'GET notes') j(): string[] | undefined {
          return undefined;
        }
        // @ts-expect-error -- the body has several forms
        @Endpoint(api, 'POST notes/login') k({ body }: { body: { first: string } }): LoginAnswer {
          return body as never;
        }
      }
      return Wrong;
    };
    expect(wrong).toBeInstanceOf(Function);
  });

  it('refuse keys and members that no endpoint has', () => {
    const wrong = [
      // @ts-expect-error -- not a method
      endpoints({ 'FETCH notes': { id: 'a', summary: 'a' } }),
      // @ts-expect-error -- it has no id
      endpoints({ 'GET notes': { summary: 'a' } }),
      // @ts-expect-error -- not a permission of kit-auth
      endpoints({ 'GET notes': { id: 'a', summary: 'a', permission: 'note:read' } }),
      // @ts-expect-error -- a text is no schema
      endpoints({ 'POST notes': { id: 'a', summary: 'a', body: { title: 'string' } } }),
    ];
    expect(wrong).toHaveLength(4);
  });

  it('are those of clients', () => {
    const sent: SentOf<typeof api, 'POST notes/{id}'> = { params: { id: '7' }, body: { title: 'x' } };
    const got: GotOf<typeof api, 'POST notes/{id}'> = { id: '7', at: '1970-01-01T00:00:00.000Z' };
    const answer: AnswerOf<typeof api, 'POST notes/{id}'> = { id: '7', at: NOW };
    const nothing: GotOf<typeof api, 'DELETE notes/{id}'> = undefined;
    const loggedIn: GotOf<typeof api, 'POST notes/login'> = { token: 'x', user: USER };
    // @ts-expect-error -- the answer has the user
    const noUser: GotOf<typeof api, 'POST notes/login'> = { token: 'x' };
    const forms: SentOf<typeof api, 'POST notes/login'> = { body: { second: 'x' } };
    const login = { body: { title: 'x', text: 'y', remember: true } } satisfies SentOf<
      typeof api,
      'POST notes'
    >;
    // @ts-expect-error -- the path has a parameter
    const wrong: SentOf<typeof api, 'POST notes/{id}'> = { body: { title: 'x' } };
    expect([sent, got, answer, nothing, loggedIn, noUser, forms, login, wrong]).toHaveLength(9);
  });
});
