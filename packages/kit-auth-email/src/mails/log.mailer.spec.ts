import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryLogger } from 'test-support';
import { LogMailer } from './active.mailer.js';

describe('LogMailer', () => {
  afterEach(() => Logger.overrideLogger(new MemoryLogger()));

  it('writes the kind, the recipient, the link and the code', async () => {
    const logger = new MemoryLogger();
    Logger.overrideLogger(logger);
    await new LogMailer().send({
      kind: 'reset',
      to: 'a@b.example',
      link: 'https://app.example/reset#kato_x',
    });
    await new LogMailer().send({ kind: 'password-changed', to: 'a@b.example' });
    const link = 'https://app.example/login#kato_x';
    await new LogMailer().send({ kind: 'login', to: 'a@b.example', link, code: 'BCDFGHJK' });
    expect(logger.ours()).toEqual([
      'log [auth] mail reset to a@b.example: https://app.example/reset#kato_x',
      'log [auth] mail password-changed to a@b.example',
      'log [auth] mail login to a@b.example: https://app.example/login#kato_x, code BCDFGHJK',
    ]);
  });
});
