import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { AUTH_PROVIDER, type AuthProvider, KitAuthContext } from 'kit-auth';
import { documentKitAuth } from 'kit-auth/openapi';
import { AuthUser } from 'kit-auth/typeorm';
import { BOTH, loginUser, moduleOf } from 'test-support';
import { DataSource } from 'typeorm';
import { ClientCertificatesModule } from './client-certificates.module.js';

/** Made for this spec, and valid until 2120. Those of `billing`, `unknown` and the server are of the authority `ca`. */
const pem = (name: string) => readFileSync(`${import.meta.dirname}/certificates/${name}.pem`);
const ca = pem('ca');

@Controller('v1/invoices')
class InvoicesController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  list() {
    const { scheme, token, user } = this.context.principal()!;
    return { scheme, userId: user.userId, isOwn: token === 'billing' };
  }
}

describe.each(BOTH)('certificates of clients on %s', (platform) => {
  let app: INestApplication;
  beforeAll(async () => {
    const module = await moduleOf({ imports: [ClientCertificatesModule], controllers: [InvoicesController] });
    const server = { key: pem('server'), cert: pem('server'), ca };
    const https = { ...server, requestCert: true, rejectUnauthorized: false };
    const options = { logger: false, abortOnError: false, forceCloseConnections: true } as const;
    app =
      platform === 'express'
        ? await NestFactory.create(module, new ExpressAdapter(), { ...options, httpsOptions: https })
        : await NestFactory.create(module, new FastifyAdapter({ https }), options);
    await app.listen(0, '127.0.0.1');
    const users = app.get(DataSource).getRepository(AuthUser);
    await users.save({ id: 7, username: 'billing', nickname: 'B', passwordHash: '', roles: [] } as object);
  });
  afterAll(() => app.close());

  const get = async (name: string | undefined, headers: Record<string, string> = {}, agent?: Agent) => {
    const { port } = app.getHttpServer().address() as AddressInfo;
    const certificate = name === undefined ? {} : { key: pem(name), cert: pem(name) };
    const options = { host: '127.0.0.1', servername: 'localhost', port, ca, path: '/v1/invoices', headers };
    const sent = request({ ...options, ...certificate, agent: agent ?? false }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const json = JSON.parse(await text(answer)) as Record<string, unknown>;
    return { ...json, status: answer.statusCode, cacheControl: answer.headers['cache-control'] };
  };

  it('name the user of a service', async () => {
    const found = { status: 200, scheme: 'mtls', userId: 7, isOwn: true };
    expect(await get('billing')).toMatchObject({ ...found, cacheControl: 'private' });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await get('billing', {}, agent)).toMatchObject(found);
    expect(await get('billing', {}, agent)).toMatchObject(found);
    agent.destroy();
  });

  it('name nobody where they are not of the authority, and are refused where they are unknown', async () => {
    expect(await get('stranger')).toMatchObject({ status: 401, code: 40100 });
    expect(await get(undefined)).toMatchObject({ status: 401, code: 40100 });
    expect(await get('unknown')).toMatchObject({ status: 401, code: 40101 });
  });

  it('are not asked for where there is a token header', async () => {
    const token = await app
      .get<AuthProvider>(AUTH_PROVIDER)
      .issueToken(loginUser({ userId: 1, username: 'admin' }), { factors: {} });
    const ofAdmin = { status: 200, scheme: 'jwt-stateless', userId: 1 };
    expect(await get('billing', { authorization: `Bearer ${token}` })).toMatchObject(ofAdmin);
    expect(await get('billing', { authorization: 'Basic eDp5' })).toMatchObject({ status: 401, code: 40100 });
    // What read() returns is no token that somebody could send.
    const guessed = await get(undefined, { authorization: 'Bearer billing' });
    expect(guessed).toMatchObject({ status: 401, code: 40101 });
  });

  it('are in documents that describe them', () => {
    const documentOf = (config: DocumentBuilder) =>
      documentKitAuth(SwaggerModule.createDocument(app, config.build()), app);
    const bearer = { type: 'http', scheme: 'bearer' };
    const plain = documentOf(new DocumentBuilder());
    expect(plain.paths['/v1/invoices']?.get?.security).toEqual([{ bearer: [] }]);
    expect(plain.components?.securitySchemes).toEqual({ bearer });
    const mtls = { type: 'mutualTLS' };
    const described = documentOf(new DocumentBuilder().addSecurity('mtls', mtls as never));
    expect(described.paths['/v1/invoices']?.get?.security).toEqual([{ bearer: [] }, { mtls: [] }]);
    expect(described.components?.securitySchemes).toEqual({ bearer, mtls });
  });
});
