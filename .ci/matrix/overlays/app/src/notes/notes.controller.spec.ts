import { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { actingAs, type ActingUser, expectAccess, KitAuthTestingModule } from 'kit-auth-testing';
import request from 'supertest';
import { NotesModule } from './notes.module';

describe('NotesController', () => {
  let app: INestApplication;
  let editor: ActingUser;

  beforeAll(async () => {
    const imports = [NotesModule, KitAuthTestingModule.forRoot()];
    const module = await Test.createTestingModule({ imports }).compile();
    app = module.createNestApplication();
    await app.init();
    editor = await actingAs(app, { username: 'ada', permissions: ['note:*'] });
  });

  afterAll(() => app.close());

  it('lists the notes of the user', async () => {
    await request(app.getHttpServer())
      .get('/v1/notes')
      .set(editor.headers)
      .expect(200, { user: 'ada', notes: ['a note of ada'] });
  });

  it('lets users with the permission delete', async () => {
    const reader = await actingAs(app, { roles: ['reader'] });
    await request(app.getHttpServer()).delete('/v1/notes').set(editor.headers).expect(200);
    await request(app.getHttpServer()).delete('/v1/notes').set(reader.headers).expect(403);
    await request(app.getHttpServer()).delete('/v1/notes').expect(401);
  });

  it('is open to the right users', () => {
    const access = expectAccess(app);
    access.of('GET /v1/notes/published').isPublic();
    access
      .of('DELETE /v1/notes')
      .allows({ permissions: ['note:delete'] })
      .denies({ permissions: ['note:read'] });
  });
});
