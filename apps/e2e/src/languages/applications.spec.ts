import { describe, expect, it } from '@jest/globals';
import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import {
  AuthErrorCode,
  AuthException,
  ERROR_TEXTS,
  ErrorTexts,
  KitAuthContext,
  type LoginUser,
  Public,
  RequireRoles,
  type TransportRequest,
} from 'kit-auth';
import { de, KitAuthLanguagesModule } from 'kit-auth-languages';
import { catchError, throwError } from 'rxjs';
import { BOTH, type Import, sharedTestApp, testApp, type TestAppOptions } from 'test-support';

const GERMAN = ['Accept-Language: de'];

@Catch(AuthException)
class ErrorFilter implements ExceptionFilter {
  constructor(private readonly texts: ErrorTexts) {}

  catch(exception: AuthException, host: ArgumentsHost): void {
    const body = this.texts.of(exception, host);
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { send(body: object): void } }>();
    response.status(exception.getStatus()).send({ failed: true, ...body });
  }
}

/** Hides everything but that something is missing. */
@Injectable()
class Hiding implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(catchError(() => throwError(() => new AuthException(AuthErrorCode.NOT_FOUND))));
  }
}

@Controller('v1/things')
class ThingsController {
  constructor(
    private readonly context: KitAuthContext,
    private readonly texts: ErrorTexts,
  ) {}

  @Get('mine')
  @Public()
  mine() {
    return this.context.getOrThrow();
  }

  @Get('edited')
  @RequireRoles('editor')
  edited() {}

  @Get('language')
  @Public()
  language() {
    return { language: this.texts.language() ?? null };
  }
}

const withLanguages: TestAppOptions = {
  imports: [KitAuthLanguagesModule],
  controllers: [ThingsController],
};

describe.each(BOTH)('a filter of the application on %s', (platform) => {
  const filter = { provide: APP_FILTER, useClass: ErrorFilter };
  const app = sharedTestApp({ platform, ...withLanguages, providers: [filter] });

  it('gets the sentence with ErrorTexts, with the headers', async () => {
    const { status, json, headers } = await app.request('/v1/api/auth/me', { headers: GERMAN });
    expect([status, json]).toEqual([
      401,
      expect.objectContaining({ failed: true, code: 40100, text: de['40100'], language: 'de' }),
    ]);
    expect(headers).toMatchObject({ 'content-language': 'de', vary: 'Accept-Language' });
  });
});

it('a filter gets the body without the package', async () => {
  const providers = [{ provide: APP_FILTER, useClass: ErrorFilter }];
  const plain = await testApp({ controllers: [ThingsController], providers });
  const { json, headers } = await plain.request('/v1/api/auth/me', { headers: GERMAN });
  const body = { statusCode: 401, code: 40100, error: 'TOKEN_MISSING', message: expect.any(String) };
  expect(json).toEqual({ failed: true, ...body });
  expect(headers['content-language']).toBeUndefined();
  expect((await plain.request('/v1/things/language', { headers: GERMAN })).json.language).toBeNull();
});

describe.each(BOTH)('an application on %s', (platform) => {
  it('gets the sentence of the error that an interceptor throws instead, and knows the language of a request', async () => {
    const providers = [{ provide: APP_INTERCEPTOR, useClass: Hiding }];
    const app = await testApp({ platform, ...withLanguages, providers });
    const { json } = await app.request('/v1/things/mine', { headers: GERMAN });
    expect(json).toMatchObject({ code: 40400, text: de['40400'], language: 'de' });
    const language = async (...headers: string[]) =>
      (await app.request('/v1/things/language', { headers })).json.language;
    expect([await language(...GERMAN), await language()]).toEqual(['de', 'en']);
    // Two headers count as one.
    expect(await language('Accept-Language: fr', ...GERMAN)).toBe('de');
  });
});

it('an application can replace the message, and choose the language by the request and the user', async () => {
  const from = ({ url }: TransportRequest, user: LoginUser | undefined) =>
    user?.username === 'ada' ? 'de-AT' : url.includes('english') ? 'en' : undefined;
  const app = await testApp({
    ...withLanguages,
    imports: [KitAuthLanguagesModule.forRoot({ from, replaceMessage: true })],
  });
  const { json } = await app.request('/v1/things/mine', { headers: GERMAN });
  const body = { statusCode: 401, code: 40100, error: 'TOKEN_MISSING', language: 'de' };
  expect(json).toEqual({ ...body, message: de['40100'] });
  const token = await app.tokenOf(await app.user({ username: 'ada' }));
  const languageOf = async (path: string, parts = {}) => (await app.request(path, parts)).json.language;
  expect(await languageOf('/v1/things/edited', { token })).toBe('de');
  expect(await languageOf('/v1/things/mine?english', { headers: GERMAN })).toBe('en');
});

const broken = () => {
  throw new Error('broken');
};
it.each([
  ['throws', broken, 'Error: broken'],
  ['returns a promise', async () => ({ text: 'x', language: 'de' }), 'returned a promise'],
  ['returns a string', () => 'x', 'returned a string'],
])(
  'an application answers without a sentence if another source of them %s',
  async (_name, textOf, logged) => {
    const app = await testApp({
      providers: [{ provide: ERROR_TEXTS, useValue: { textOf, languageOf: () => 'de' } }],
    });
    const { status, json } = await app.request('/v1/api/auth/me', { headers: GERMAN });
    expect([status, Object.keys(json)]).toEqual([401, ['statusCode', 'code', 'error', 'message']]);
    expect(app.logs.ours().filter((line) => line.includes(logged))).toHaveLength(1);
  },
);

it.each<[string, Import[], object, string]>([
  [
    'there is more than one',
    [KitAuthLanguagesModule],
    { textOf: () => undefined, languageOf: () => 'en' },
    'There is more than one ErrorTextSource',
  ],
  ['it is incomplete', [], {}, 'it lacks textOf, languageOf'],
])(
  'an application with a source of sentences fails at start-up if %s',
  async (_name, imports, useValue, message) => {
    const starting = testApp({ imports, providers: [{ provide: ERROR_TEXTS, useValue }] });
    await expect(starting).rejects.toThrow(message);
  },
);
