import { describe, expect, it } from '@jest/globals';
import { IllegalStateException } from 'kit-auth';
import { emailOptions } from '../email.options.js';
import { MailLinks } from './mail.links.js';

const links = new MailLinks(
  emailOptions.resolve({
    links: { reset: 'https://app.example/reset#{token}', verify: 'https://app.example/verify#t={token}' },
  }),
);

describe('MailLinks', () => {
  it('put the token into the page', () => {
    expect(links.build('verify', 'kato_$&')).toBe('https://app.example/verify#t=kato_$&');
  });

  it('name the pages that are missing', () => {
    expect(() => links.require('reset', 'verify')).not.toThrow();
    expect(() => links.require('reset', 'register', 'invite')).toThrow(
      new IllegalStateException(
        'kit.auth.email.links.register is missing: the URL of your page, such as https://app.example/register#{token}. ' +
          'kit.auth.email.links.invite is missing: the URL of your page, such as https://app.example/invite#{token}.',
      ),
    );
  });

  it('build no link without a page', () => {
    expect(() => links.build('invite', 'kato_token')).toThrow('kit.auth.email.links.invite is missing');
  });
});
