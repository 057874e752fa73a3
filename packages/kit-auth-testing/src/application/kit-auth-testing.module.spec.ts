import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Module, Req } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  AUTH_PROVIDER,
  AuthManager,
  type AuthProvider,
  CurrentUser,
  KitAuthModule,
  type LoginUser,
  PASSWORD_HASHER,
  type PasswordHasher,
} from 'kit-auth';
import { AuthUser } from 'kit-auth/typeorm';
import { KitAuthAdminModule } from 'kit-auth-admin';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { KitAuthSessionModule, SessionManager } from 'kit-auth-session';
import { type Import, type Platform, BOTH, PLATFORMS, sqliteInMemory } from 'test-support';
import { DataSource } from 'typeorm';
import { actingAs, KitAuthTestingModule } from '../index.js';

@Controller('v1/notes')
class NotesController {
  @Get() list(@CurrentUser() user: LoginUser) {
    return { notesOf: user.username };
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

/** Nobody listens at this address. */
const unreachable = () =>
  TypeOrmModule.forRoot({ type: 'postgres', url: 'postgres://localhost:1/none', autoLoadEntities: true });

const NO_DATABASE = { getRepository: () => undefined };

@Injectable()
class NoHasher implements PasswordHasher {
  static calls = 0;
  hash = async () => this.called('');
  verify = async () => this.called(false);
  dummy = async () => this.called(undefined);
  isOutdated = () => false;

  private called<T>(answer: T): T {
    NoHasher.calls++;
    return answer;
  }
}

@Module({ providers: [{ provide: PASSWORD_HASHER, useClass: NoHasher }] })
class NoHasherModule {}

function applicationOf(...imports: Import[]) {
  @Module({ imports: [...imports, NotesModule, NoHasherModule] })
  class AppModule {}
  return AppModule;
}

type Builder = ReturnType<typeof Test.createTestingModule>;

/** Starts an application, tries it with a token, and ends it. */
async function attempt(
  builder: Builder,
  platform: Platform = 'express',
  work: (app: ReturnType<Awaited<ReturnType<Builder['compile']>>['createNestApplication']>) => unknown = () =>
    undefined,
): Promise<unknown> {
  const module = await builder.compile();
  const app = module.createNestApplication(PLATFORMS[platform]() as never);
  NoHasher.calls = 0;
  try {
    await app.listen(0, '127.0.0.1');
    const { headers } = await actingAs(app, { username: 'ada' });
    const answer = await fetch(`${await app.getUrl()}/v1/notes`, { headers });
    await work(app);
    return await answer.json();
  } finally {
    await app.close();
  }
}

describe('KitAuthTestingModule', () => {
  it.each(BOTH)(
    'stands in for the whole of authentication in a test of one module, on %s',
    async (platform) => {
      const options = { tokenHeader: 'X-Token', tokenPrefix: 'Token ' };
      const builder = Test.createTestingModule({
        imports: [NotesModule, NoHasherModule, KitAuthTestingModule.forRoot(options)],
      });
      const answer = await attempt(builder, platform, async (app) => {
        const { token, headers } = await actingAs(app);
        expect(headers).toEqual({ 'X-Token': `Token ${token}` });
        await app.get(AuthManager).logout(token);
        const refused = await fetch(`${await app.getUrl()}/v1/notes`, { headers });
        expect(await refused.json()).toMatchObject({ code: 40101 });
      });
      expect(answer).toEqual({ notesOf: 'ada' });
      expect(NoHasher.calls).toBe(0);
    },
  );

  it('has in request.user what the test says', async () => {
    @Controller('v1/notes')
    class EntityController {
      @Get() list(@Req() { user }: { user: { id: number } }) {
        return user;
      }
    }
    const requestUser = async (id: number, { username }: LoginUser) => ({ isId: id > 0, entity: username });
    const builder = Test.createTestingModule({
      imports: [KitAuthTestingModule.forRoot({ requestUser }), NoHasherModule],
      controllers: [EntityController],
    });
    expect(await attempt(builder)).toEqual({ isId: true, entity: 'ada' });
  });

  it.each<[string, () => Import[]]>([
    ['jwt', () => [KitAuthModule.forRoot({ jwt: { checkStamp: true } }), KitAuthJwtModule]],
    ['sessions', () => [KitAuthModule.forRoot(), KitAuthSessionModule.forRoot({ maxPerUser: 1 })]],
  ])('replaces %s and the users of TypeORM in a whole application', async (_name, imports) => {
    const builder = Test.createTestingModule({ imports: [applicationOf(unreachable(), ...imports())] });
    KitAuthTestingModule.replaceIn(builder).overrideProvider(DataSource).useValue(NO_DATABASE);
    const answer = await attempt(builder, 'express', (app) => {
      expect(app.get<AuthProvider>(AUTH_PROVIDER).extensionName).toBe('testing');
    });
    expect(answer).toEqual({ notesOf: 'ada' });
    expect(NoHasher.calls).toBe(0);
  });

  it('replaces the implementation alone, beside the users and the management endpoints', async () => {
    const application = applicationOf(
      TypeOrmModule.forRoot(sqliteInMemory()),
      KitAuthModule.forRoot(),
      KitAuthJwtModule,
      KitAuthAdminModule,
    );
    const builder = Test.createTestingModule({ imports: [application] })
      .overrideModule(KitAuthJwtModule)
      .useModule(KitAuthTestingModule);
    await attempt(builder, 'express', async (app) => {
      expect((await actingAs(app, 'admin')).user.superAdmin).toBe(true);
      expect(await app.get(DataSource).getRepository(AuthUser).count()).toBe(1);
    });
  });

  it('leaves the session manager, with sessions in memory', async () => {
    const application = applicationOf(unreachable(), KitAuthModule.forRoot(), KitAuthSessionModule);
    const builder = Test.createTestingModule({ imports: [application] });
    KitAuthTestingModule.replaceIn(builder).overrideProvider(DataSource).useValue(NO_DATABASE);
    await attempt(builder, 'express', async (app) => {
      expect(await app.get(SessionManager, { strict: false }).listOf(7)).toEqual([]);
    });
  });

  it('can be used for several applications at once, and for the same one again', async () => {
    const application = applicationOf(
      TypeOrmModule.forRoot(sqliteInMemory()),
      KitAuthModule.forRoot(),
      KitAuthJwtModule,
    );
    const builders = [1, 2].map(() => Test.createTestingModule({ imports: [application] }));
    builders.forEach((builder) => KitAuthTestingModule.replaceIn(builder));
    expect(await Promise.all(builders.map((builder) => attempt(builder)))).toEqual([
      { notesOf: 'ada' },
      { notesOf: 'ada' },
    ]);
    await attempt(Test.createTestingModule({ imports: [application] }), 'express', (app) => {
      expect(app.get<AuthProvider>(AUTH_PROVIDER).extensionName).toBe('jwt-stateless');
    });
  });

  it('answers a login like any other wrong one', async () => {
    const builder = Test.createTestingModule({ imports: [NoHasherModule, KitAuthTestingModule.forRoot()] });
    const module = await builder.compile();
    const app = await module.createNestApplication().init();
    await expect(app.get(AuthManager).login('ada', 'x')).rejects.toMatchObject({ code: 40110 });
    await app.close();
  });
});
