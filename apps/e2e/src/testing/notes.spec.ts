import { afterAll, beforeAll, describe, it } from '@jest/globals';
import {
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  Module,
  Post,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  type AuthPolicy,
  Authorize,
  CurrentUser,
  type LoginUser,
  Public,
  RequirePermissions,
  RequireRoles,
} from 'kit-auth';
import { actingAs, type ActingUser, expectAccess, KitAuthTestingModule } from 'kit-auth-testing';
import request from 'supertest';

// The module that is tested. In your application, it is in files of its own.

@Injectable()
class OwnNotePolicy implements AuthPolicy {
  can(user: LoginUser, context: ExecutionContext) {
    return context.switchToHttp().getRequest<{ params: { owner: string } }>().params.owner === user.username;
  }
}

@Controller('v1/notes')
class NotesController {
  @Get()
  list(@CurrentUser() user: LoginUser) {
    return { notesOf: user.username };
  }

  @Public()
  @Get('published')
  published() {
    return [];
  }

  @Post()
  @RequirePermissions('note:write')
  create() {
    return { id: 1 };
  }

  @Delete(':owner/:id')
  @RequireRoles('editor')
  @Authorize(OwnNotePolicy)
  remove() {}
}

@Module({ controllers: [NotesController], providers: [OwnNotePolicy] })
class NotesModule {}

describe('the notes', () => {
  let app: INestApplication;
  let editor: ActingUser;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [NotesModule, KitAuthTestingModule.forRoot()],
    }).compile();
    app = module.createNestApplication();
    await app.init();
    editor = await actingAs(app, { username: 'ada', roles: ['editor'], permissions: ['note:*'] });
  });

  afterAll(() => app.close());

  it('are listed for the user who asks', async () => {
    await request(app.getHttpServer()).get('/v1/notes').set(editor.headers).expect(200, { notesOf: 'ada' });
  });

  it('are written by users with a permission', async () => {
    await request(app.getHttpServer()).post('/v1/notes').set(editor.headers).expect(201);

    const reader = await actingAs(app, { roles: ['reader'] });
    await request(app.getHttpServer()).post('/v1/notes').set(reader.headers).expect(403);
    await request(app.getHttpServer()).post('/v1/notes').expect(401);
  });

  it('are open to the right users', async () => {
    const access = expectAccess(app);
    access.of('GET /v1/notes/published').isPublic();
    access.of('GET /v1/notes').needsToken().allows({});
    access
      .of('POST /v1/notes')
      .allows({ permissions: ['note:write'] })
      .denies({ roles: ['editor'] });

    // Roles and permissions are judged before policies. A policy judges a request.
    const remove = access.of('DELETE /v1/notes/:owner/:id').denies({ roles: ['reader'] });
    await remove.allows(editor.user, { params: { owner: 'ada', id: '1' } });
    await remove.denies(editor.user, { params: { owner: 'bob', id: '1' } });
  });
});
