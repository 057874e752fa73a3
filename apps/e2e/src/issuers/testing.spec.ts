import { describe, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { CurrentUser, KitAuthModule, type LoginUser } from 'kit-auth';
import { KitAuthIssuersModule } from 'kit-auth-issuers';
import { FakeIssuer, IssuerConnections } from 'kit-auth-issuers/testing';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import request from 'supertest';
import { OwnUsersModule } from '../users/own-users.js';

@Controller('v1/notes')
class NotesController {
  @Get()
  list(@CurrentUser() { username }: LoginUser) {
    return [username];
  }
}

@Module({
  imports: [
    KitAuthModule.forRoot({ users: OwnUsersModule }),
    KitAuthJwtModule,
    KitAuthIssuersModule.forRoot({
      issuers: [
        { issuer: 'https://login.example.com', audience: 'notes-api', user: { claims: {} } },
        { issuer: 'https://partner.example', audience: 'notes-api', user: { claims: {} } },
      ],
    }),
  ],
  controllers: [NotesController],
})
class AppModule {}

describe('FakeIssuer', () => {
  it('stands for the issuers in the tests of an application', async () => {
    const issuer = new FakeIssuer({ issuer: 'https://login.example.com', audience: 'notes-api' });
    const module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(IssuerConnections)
      .useValue(issuer)
      .compile();
    const app = await module.createNestApplication({ logger: false }).init();
    try {
      const notes = (token: string) =>
        request(app.getHttpServer()).get('/v1/notes').set('Authorization', `Bearer ${token}`);
      await notes(issuer.token({ sub: '4711', preferred_username: 'ada' })).expect(200, ['ada']);
      await notes(issuer.token({ sub: '4711', iss: 'https://partner.example' })).expect(200, ['4711']);
      await notes(issuer.token({ sub: '4711', exp: 1 })).expect(401);
      await notes(issuer.token({ sub: '4711', aud: undefined })).expect(401);
    } finally {
      await app.close();
    }
  });
});
