import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { MailLimits } from 'kit-auth-email';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { type Answer, freezeDate, OpenApi, sharedTestApp } from 'test-support';
import { OWN_PAGE, sentBack } from '../browser/app.js';
import { EmailApp } from './app.js';
import { cookieIn, LOGIN_LINKS, LoginLinkApp } from './login-links-app.js';
import { Statements } from '../database/statements.js';

/** Of `bcrypt.compare`. The type of the overload with a callback is in the way. */
const NEVER = (async () => false) as never;

/** What an answer consists of, but for its time and the secret of the browser. */
const bytesOf = ({ status, lines, text }: Answer) => ({
  status,
  lines: lines
    .filter((line) => !/^date:/i.test(line))
    .map((line) => line.replace(/(link=)[\w-]{43}/, '$1secret')),
  text,
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('login links', () => {
  const app = sharedTestApp(new LoginLinkApp({ platform: 'fastify' }));
  beforeEach(() => app.forgetMails());

  it('are asked for with the same answer for every address, and sent to verified ones of enabled users', async () => {
    const known = await app.addressed();
    const disabled = await app.addressed({ status: AuthUserStatus.DISABLED });
    const unverified = await app.addressed({ verified: false });
    const others = ['nobody@example.com', disabled.address, unverified.address, known.address.toUpperCase()];
    const answers: Answer[] = [];
    const hash = jest.spyOn(bcrypt, 'hash');
    for (const email of [known.address, ...others]) {
      answers.push(await app.ask(email));
    }
    expect(answers[0]!.status).toBe(202);
    answers.forEach((answer) => expect(bytesOf(answer)).toEqual(bytesOf(answers[0]!)));
    await app.mailsSent();
    // The last one is the first one, within a minute.
    expect(hash).toHaveBeenCalledTimes(others.length);
    expect(app.mailbox.mails.map(({ to, kind }) => [to, kind])).toEqual([[known.address, 'login']]);
  });

  it('cost the same statements and hashes, and have the same answers, for every address that was asked for', async () => {
    const statements = new Statements();
    const counting = await new LoginLinkApp({ database: statements.on() }).start();
    freezeDate(); // statements contain the time
    // All codes are wrong. The cost is what the hashes would take.
    const compare = jest.spyOn(bcrypt, 'compare').mockImplementation(NEVER);
    const known = await counting.addressed();
    const disabled = await counting.addressed({ status: AuthUserStatus.DISABLED });
    const unverified = await counting.addressed({ verified: false });
    const writesOf = async (email: string) => {
      const seen = await statements.of(async () => {
        await counting.ask(email);
        await counting.mailsSent();
      });
      return seen.filter((text) => !/^(SELECT|WITH)/.test(text));
    };
    const answersOf: string[] = [];
    const wrongCode = async (email: string, code = 'BCDFGHJK') => {
      compare.mockClear();
      const answer = await counting.complete({ email, code });
      const cost = compare.mock.calls.reduce((sum, [, hash]) => sum + 2 ** bcrypt.getRounds(hash), 0);
      answersOf.push(JSON.stringify({ ...bytesOf(answer), cost }));
      return cost;
    };
    const asked: Record<string, string[]> = {};
    const tried: Record<string, string[][]> = {};
    for (const email of [known.address, 'nobody@example.com', disabled.address, unverified.address]) {
      asked[email] = await writesOf(email);
      await writesOf(email); // within the minute, which sends nothing
      tried[email] = [];
      for (let attempt = 1; attempt <= 6; attempt++) {
        tried[email].push(await statements.of(() => wrongCode(email)));
      }
    }
    expect(asked[known.address]!.join()).toMatch(/INSERT INTO "auth_one_time"/);
    const [first, , , , fifth, sixth] = tried[known.address]!;
    expect(first!.filter((text) => text.startsWith('UPDATE'))).toHaveLength(1);
    expect([fifth, sixth!.length]).toEqual([first, first!.length + 1]);
    for (const email of ['nobody@example.com', disabled.address, unverified.address]) {
      expect([email, asked[email], tried[email]]).toEqual([
        email,
        asked[known.address],
        tried[known.address],
      ]);
    }
    const failed = counting.heard('login-failed').map(({ subjectId, subject }) => ({ subjectId, subject }));
    // The others of the minute are one event at its end.
    expect(failed).toEqual([
      { subjectId: known.id, subject: known.username },
      { subjectId: null, subject: null },
    ]);
    expect(await wrongCode('never-asked@example.com')).toBe(2 ** 10);
    expect(new Set(answersOf).size).toBe(1);
    expect(answersOf[0]).toMatch(/^\{"status":400,.*40010/);
    expect(answersOf[0]).not.toContain('reason');
    expect(await wrongCode(known.address, 'ABCDEFGH')).toBe(0); // it can be no code
  });

  it('take no token of another purpose, and are none', async () => {
    const user = await app.addressed();
    const { token, cookie } = await app.linkTo(user.address);
    expect(await app.outcomeOf(app.reset(token))).toBe(40010);
    expect(await app.outcomeOf(app.confirm(token))).toBe(40010);
    expect(await app.outcome({ token: await app.resetToken(user) }, cookie)).toBe('40010');
  });
});

describe('limits of login links', () => {
  it('keep mails for the browsers and networks of an address, however many strangers ask for it', async () => {
    const pass = freezeDate();
    const app = await new LoginLinkApp({ trustProxy: true, platform: 'fastify' }).start();
    const from = (address: string) => `X-Forwarded-For: ${address}`;
    const HOME = from('192.0.2.1');
    const user = await app.addressed();
    const { token, cookie } = await app.linkTo(user.address, {}, HOME);
    expect((await app.complete({ token }, cookie, HOME)).status).toBe(200);
    const askFrom = async (...headers: string[]): Promise<number> => {
      pass(61_000);
      const before = app.mailbox.mails.length;
      expect((await app.ask(user.address, {}, ...headers)).status).toBe(202);
      await app.mailsSent();
      return app.mailbox.mails.length - before;
    };
    const strangers = [1, 2, 3, 4, 5].map((i) => from(`198.51.100.${i}`));
    const sent: number[] = [];
    for (const stranger of strangers) {
      sent.push(await askFrom(stranger));
    }
    expect(sent).toEqual([1, 1, 1, 1, 0]);
    expect(await askFrom(from('203.0.113.1'), `Cookie: ${cookie}`)).toBe(1); // the browser, in another network
    expect(await askFrom(HOME)).toBe(1); // another browser
    const other = await app.linkTo((await app.addressed()).address, {}, from('203.0.113.2'));
    expect(await askFrom(from('203.0.113.1'), `Cookie: ${other.cookie}`)).toBe(0);
    for (let asked = 2; asked <= 6; asked++) {
      expect(await askFrom(from('203.0.113.1'), `Cookie: ${cookie}`)).toBe(asked <= 5 ? 1 : 0);
    }
    pass(30 * 24 * 60 * 60_000);
    for (const stranger of strangers) {
      await askFrom(stranger);
    }
    expect(await askFrom(HOME, `Cookie: ${cookie}`)).toBe(0); // no login for thirty days
  });

  it('are a budget of their own, and a refused request binds no browser', async () => {
    const app = await new LoginLinkApp({ email: { requestsPerHour: 1 } }).start();
    const user = await app.addressed();
    expect((await app.ask('nobody@example.com')).status).toBe(202);
    const [unknown, known] = [await app.ask('nobody@example.com'), await app.ask(user.address)];
    expect([unknown.status, unknown.json.code, unknown.cookies]).toEqual([429, 42900, []]);
    expect(bytesOf(known)).toEqual(bytesOf(unknown));
    expect((await app.forgot(user.address)).status).toBe(202);
  });

  it('refuse too many codes of a network before any hash', async () => {
    const app = await new LoginLinkApp().start();
    const link = await app.linkTo((await app.addressed()).address);
    const compare = jest.spyOn(bcrypt, 'compare');
    const refusal = new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS);
    const count = jest.spyOn(app.get(MailLimits), 'countCode').mockRejectedValueOnce(refusal);
    const shown = { email: link.mail.to, code: link.code };
    expect([await app.outcome(shown), compare.mock.calls.length]).toEqual(['42900', 0]);
    expect([await app.outcome(shown), count.mock.calls.length]).toEqual(['200', 2]);
  });
});

describe('login links with cookies', () => {
  const app = sharedTestApp(new LoginLinkApp({ platform: 'fastify', imports: [KitAuthBrowserModule] }));
  beforeEach(() => app.sendAtOnce());
  const tokens = ({ cookies }: Answer) =>
    cookies.filter((line) => /^__Host-kit-auth(-remember)?=/.test(line));

  it('are remembered as their request has said', async () => {
    for (const remember of [true, false, undefined]) {
      const more = remember === undefined ? {} : { remember };
      const link = await app.linkTo((await app.addressed()).address, more, OWN_PAGE);
      const answer = await app.complete({ token: link.token }, link.cookie, OWN_PAGE);
      expect([answer.status, answer.json.token]).toEqual([200, undefined]);
      const lines = tokens(answer);
      expect(lines).toHaveLength(remember === true ? 2 : 1);
      lines.forEach((line) => expect(/Max-Age/.test(line)).toBe(remember === true));
      const me = await app.request('/v1/api/auth/me', { headers: [`Cookie: ${sentBack(answer)}`] });
      expect(me.status).toBe(200);
    }
  });

  it('give tokens to apps, which have asked with remember or without', async () => {
    for (const more of [{}, { remember: true }]) {
      const link = await app.linkTo((await app.addressed()).address, more);
      const answer = await app.complete({ email: link.mail.to, code: link.code });
      expect([tokens(answer), await app.codeOf(answer.json.token)]).toEqual([[], 200]);
    }
  });

  it('are neither asked for nor completed by pages of other origins', async () => {
    const user = await app.addressed();
    const link = await app.linkTo(user.address, {}, OWN_PAGE);
    const evil = ['Origin: https://evil.example', 'Sec-Fetch-Site: cross-site'];
    expect((await app.ask(user.address, {}, ...evil)).json.code).toBe(40302);
    const answer = await app.complete({ token: link.token }, link.cookie, ...evil);
    expect([answer.json.code, answer.cookies]).toEqual([40302, []]);
    expect(await app.open(link)).toBe('200');
  });
});

it('without TLS on localhost bind to a cookie that browsers keep there', async () => {
  const links = { ...LOGIN_LINKS, login: 'http://localhost:5173/login#{token}' };
  const app = await new LoginLinkApp({ email: { links } }).start();
  const answer = await app.ask('nobody@example.com');
  expect(answer.cookies).toEqual([
    expect.stringMatching(/^kit-auth-login-link=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=900$/),
  ]);
  const link = await app.linkTo((await app.addressed()).address, {}, `Cookie: ${cookieIn(answer)}`);
  expect(link.cookie).toBe(cookieIn(answer));
  expect(await app.open(link)).toBe('200');
});

it('live as long as the option says', async () => {
  const app = await new LoginLinkApp({ email: { loginLinks: { minutes: 5 } } }).start();
  const pass = freezeDate();
  const link = await app.linkTo((await app.addressed()).address);
  expect(link.mail.expiresAt?.getTime()).toBe(Date.now() + 300_000);
  pass(300_000);
  expect(await app.open(link)).toBe('40010 expired');
});

it('are off by default: their endpoints answer 404, and no document has them', async () => {
  const app = await new EmailApp().start();
  for (const path of ['login/link', 'login/link/complete']) {
    expect((await app.call(undefined, 'POST', path, { email: 'ada@example.com' })).status).toBe(404);
  }
  expect([...new OpenApi(app).ours.keys()].join()).not.toContain('login/link');
});
