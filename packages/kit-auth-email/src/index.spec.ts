import { describe, expect, it } from '@jest/globals';
import * as extend from './extend.js';
import * as kitAuthEmail from './index.js';
import * as nodemailer from './nodemailer.js';
import * as typeorm from './typeorm.js';

describe('kit-auth-email', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(kitAuthEmail).sort()).toEqual([
      'AUTH_MAILER',
      'KitAuthEmailModule',
      'LOCALES_OF_USERS',
      'LogMailer',
      'UserAddresses',
    ]);
    expect(Object.keys(extend).sort()).toEqual([
      'LOGIN_LINK_SIGN_UP',
      'MailLimits',
      'MailLinks',
      'MailQueue',
      'readAddress',
    ]);
    expect(Object.keys(nodemailer).sort()).toEqual([
      'ENGLISH',
      'GERMAN',
      'MailNotSentError',
      'NodemailerMailer',
      'escapeHtml',
      'standardLayout',
    ]);
    expect(Object.keys(typeorm).sort()).toEqual(['AuthUserEmail', 'kitAuthEntities', 'kitAuthMigrations']);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuthEmail.KitAuthEmailOptionsFactory {
      async create() {
        return { requestsPerHour: 100 };
      }
    }
    const { module } = kitAuthEmail.KitAuthEmailModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(kitAuthEmail.KitAuthEmailModule);
  });
});
