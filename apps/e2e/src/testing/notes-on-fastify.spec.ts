import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { CurrentUser, type LoginUser, RequireRoles } from 'kit-auth';
import { actingAs, KitAuthTestingModule } from 'kit-auth-testing';

@Controller('v1/notes')
class NotesController {
  @Get()
  @RequireRoles('editor')
  list(@CurrentUser() user: LoginUser) {
    return { notesOf: user.username };
  }
}

describe('the notes on Fastify', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [KitAuthTestingModule.forRoot()],
      controllers: [NotesController],
    }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    await app.init();
  });

  afterAll(() => app.close());

  it('are listed for editors', async () => {
    const editor = await actingAs(app, { username: 'ada', roles: ['editor'] });
    const answer = await app.inject({ url: '/v1/notes', headers: editor.headers });
    expect(answer.json()).toEqual({ notesOf: 'ada' });

    const reader = await actingAs(app, { roles: ['reader'] });
    expect((await app.inject({ url: '/v1/notes', headers: reader.headers })).statusCode).toBe(403);
  });
});
