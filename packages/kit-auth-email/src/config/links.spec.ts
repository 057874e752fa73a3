import { afterEach, describe, expect, it } from '@jest/globals';
import { linkProblem, linkWith } from './links.js';

const before = process.env['NODE_ENV'];
afterEach(() => {
  process.env['NODE_ENV'] = before;
});

describe('a link', () => {
  it.each([
    'https://app.example/reset#{token}',
    'https://app.example#{token}',
    'https://app.example:8443/a/b?lang=de#/reset?token={token}',
    'HTTPS://app.example/#token={token}&x=1',
    'http://localhost:4200/reset#{token}',
    'http://127.0.0.1/reset#{token}',
    'http://[::1]:3000/reset#{token}',
  ])('may be %s', (link) => {
    expect(linkProblem(link)).toBeUndefined();
  });

  it.each([
    ['https://app.example/reset', /must have \{token\} once/],
    ['https://app.example/reset#token', /must have \{token\} once/],
    ['https://app.example/reset#{token}{token}', /must have \{token\} once/],
    ['https://app.example/{token}#{token}', /must have \{token\} once/],
    ['https://app.example/reset?token={token}', /in the fragment, after the #/],
    ['https://app.example/reset?token={token}#x', /in the fragment, after the #/],
    ['https://app.example/{token}', /in the fragment, after the #/],
    ['https://{token}.example/#x', /in the fragment, after the #/],
    ['/reset#{token}', /must be an absolute URL/],
    ['//app.example/reset#{token}', /must be an absolute URL/],
    ['app.example/reset#{token}', /must be an absolute URL/],
    ['https://#{token}', /must be an absolute URL/],
    ['https://ada:secret@app.example/#{token}', /must not contain credentials/],
    ['http://app.example/reset#{token}', /must be an https URL \(http only for localhost\)/],
    ['http://localhost.evil.example/reset#{token}', /must be an https URL \(http only for localhost\)/],
    ['javascript:alert(1)#{token}', /must be an https URL/],
    ['data:text/html,x#{token}', /must be an https URL/],
    ['ftp://app.example/#{token}', /must be an https URL/],
    ['myapp://reset#{token}', /must be an https URL/],
  ])('must not be %s', (link, problem) => {
    expect(linkProblem(link)).toMatch(problem);
  });

  it('must be https in production, also for localhost', () => {
    process.env['NODE_ENV'] = 'production';
    for (const host of ['localhost', 'app.example']) {
      expect(linkProblem(`http://${host}/reset#{token}`)).toBe('must be an https URL in production');
    }
    expect(linkProblem('https://app.example/reset#{token}')).toBeUndefined();
  });

  it('gets its token as it is', () => {
    expect(linkWith('https://app.example/reset#{token}', "kato_$&$'_x")).toBe(
      "https://app.example/reset#kato_$&$'_x",
    );
  });
});
