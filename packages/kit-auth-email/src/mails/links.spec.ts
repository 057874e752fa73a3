import { describe, expect, it } from '@jest/globals';
import { linkProblem } from '../email.options.js';
import { linkWith } from './mail.links.js';

describe('a link', () => {
  it.each([
    'https://app.example/reset#{token}',
    'https://app.example#{token}',
    'https://app.example:8443/a/b?lang=de#/reset?token={token}',
    'HTTPS://app.example/#token={token}&x=1',
  ])('may be %s', (link) => {
    expect(linkProblem(link)).toBeUndefined();
  });

  it.each([
    ['https://app.example/reset', /must have \{token\} once/],
    ['https://app.example/reset#{token}{token}', /must have \{token\} once/],
    ['https://app.example/reset?token={token}', /in the fragment, after the #/],
    ['https://{token}.example/#x', /in the fragment, after the #/],
    ['app.example/reset#{token}', /must be an absolute URL/],
    ['https://ada:secret@app.example/#{token}', /must not contain credentials/],
    ['http://app.example/reset#{token}', /must be an https URL \(http only for localhost\)/],
  ])('must not be %s', (link, problem) => {
    expect(linkProblem(link)).toMatch(problem);
  });

  it('gets its token as it is', () => {
    expect(linkWith('https://app.example/reset#{token}', "kato_$&$'_x")).toBe(
      "https://app.example/reset#kato_$&$'_x",
    );
  });
});
