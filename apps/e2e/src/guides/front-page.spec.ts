import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { AppModule } from './front-page.module.js';

/** A request and its answer, as the page shows them: a line, and a body. */
const EXCHANGE =
  /^```http\n(GET|POST) (\S+)\n(?:Authorization: Bearer \S+\n)?(\{.*?\}\n)?\n(\d+) [^\n]+\n(\{.*?\})\n```$/gms;

describe('the application of the front page', () => {
  let app: INestApplication;
  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    app = module.createNestApplication();
    await app.init();
  });
  afterAll(() => app.close());

  it('gives the answers that the page shows', async () => {
    const exchanges = [...readFileSync('docs/index.md', 'utf8').matchAll(EXCHANGE)];
    expect(exchanges).toHaveLength(3);
    let token: string | undefined;
    for (const [block, method, path, body, status, shown] of exchanges) {
      const call = request(app.getHttpServer())[method === 'GET' ? 'get' : 'post'](path!);
      if (block.includes('\nAuthorization:')) {
        void call.set('Authorization', `Bearer ${token}`);
      }
      const answer = await call.send(body === undefined ? undefined : (JSON.parse(body) as object));
      token = (answer.body as { token?: string }).token;
      const wanted = JSON.parse(shown!) as { token?: string };
      const isLike = wanted.token !== undefined && { token: expect.stringMatching(/^kats_1_/) };
      expect([answer.status, answer.body]).toEqual([Number(status), { ...wanted, ...isLike }]);
    }
  });
});
