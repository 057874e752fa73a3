import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { KitAuthModule } from 'kit-auth';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { github, google, KitAuthOidcModule, UserIdentities } from 'kit-auth-oidc';
import { FakeProvider, ProviderConnections } from 'kit-auth-oidc/testing';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import request from 'supertest';
import { sqliteInMemory } from 'test-support';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthUser } from 'kit-auth/typeorm';
import { DataSource } from 'typeorm';

@Module({
  imports: [
    TypeOrmModule.forRoot(sqliteInMemory()),
    KitAuthModule.forRoot({ password: { cost: 10 } }),
    KitAuthJwtModule,
    KitAuthBrowserModule,
    KitAuthOidcModule.forRoot({
      providers: [
        google({ clientId: 'app', clientSecret: 'secret' }),
        github({ clientId: 'app', clientSecret: 'secret' }),
      ],
      redirectBase: 'https://api.example.com',
      returnTo: ['https://api.example.com/app'],
    }),
  ],
})
class AppModule {}

describe('FakeProvider', () => {
  it.each(['google', 'github'])('stands for %s in the tests of an application', async (name) => {
    const provider = new FakeProvider();
    const module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(ProviderConnections)
      .useValue(provider)
      .compile();
    const app = await module.createNestApplication({ logger: false }).init();
    try {
      const users = app.get(DataSource).getRepository(AuthUser);
      const { id } = await users.save({ username: 'ada', nickname: 'Ada', roles: [] });
      await app.get(UserIdentities).link(id, { provider: name, subject: '4711' });

      const outcome = async (visit: (url: string) => string) => {
        const start = await request(app.getHttpServer()).get(`/v1/api/auth/oidc/${name}/start`).expect(302);
        const cookie = start.get('Set-Cookie')?.map((line) => line.split(';')[0]!) ?? [];
        const answer = await request(app.getHttpServer())
          .get(visit(start.get('Location')!))
          .set('Cookie', cookie)
          .expect(302);
        return answer.get('Location')?.split('#')[1];
      };
      expect(await outcome((url) => provider.logIn(url, { sub: '4711' }))).toBe('kit-auth=ok');
      expect(await outcome((url) => provider.refuse(url))).toBe(
        `kit-auth=40114&reason=denied&provider=${name}`,
      );
      expect(await outcome((url) => provider.logIn(url, { sub: 'other' }))).toContain('reason=unverified');
    } finally {
      await app.close();
    }
  });
});
