import { beforeEach, describe, expect, it } from '@jest/globals';
import { handlerCall, loginUser, published, routeRulesOf } from 'test-support';
import { currentMessage, MessageContexts } from '../context/message-contexts.js';
import type { AuthMessages } from '../contract/auth-messages.js';
import type { ErrorTexts } from '../contract/error-texts.js';
import type { Principal } from '../contract/login-proof.js';
import type { KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import type { Ports } from '../ports/ports.js';
import { OptionalUser, Public, RequireRoles } from '../routes/require.decorators.js';
import type { AccessChecker } from './access.checker.js';
import { MessageAdmission, messageExceptions } from './message.admission.js';

class Gateway {
  plain() {}

  @RequireRoles('editor') closed() {}
  @Public() open() {}
  @OptionalUser() optional() {}
  @OptionalUser({ invalid: 'anonymous' }) lenient() {}
}
type Handler = keyof Gateway;

const settings = { protect: ['/v1/**'], whiteList: [], optional: [] } as unknown as KitAuthSettings;
const rules = routeRulesOf(settings);
const contexts = new MessageContexts();

const principal = (scheme = 'stub'): Principal => ({
  user: loginUser(),
  proof: { factors: {} },
  scheme,
  token: 't',
});
const user = principal();
const credentials = [{ scheme: 'key' }, { scheme: 'carried' }];
const translated = new AuthException(AuthErrorCode.FORBIDDEN, { message: 'Verboten' });

/** What the source of users and the checker were asked. */
let asked: string[] = [];
let checks: Parameters<AccessChecker['admit']>[] = [];
/** The context of the message at each check. */
let checkedIn: unknown[] = [];
beforeEach(() => {
  [asked, checks, checkedIn] = [[], [], []];
  messageExceptions.clear(); // applications with gateways have left theirs
});

/** The admission of an application with this source of the users of `ws` and `graphql`. */
function admissionWith(source?: Partial<AuthMessages>, decide: () => true | Promise<true> = () => true) {
  const messages = new Map(source === undefined ? [] : ['ws', 'graphql'].map((type) => [type, source]));
  const admit = (...args: Parameters<AccessChecker['admit']>) => {
    checks.push(args);
    checkedIn.push(currentMessage());
    return decide();
  };
  return new MessageAdmission(
    { messages, credentials } as unknown as Ports,
    rules,
    { admit } as AccessChecker,
    contexts,
    { translated: () => translated } as unknown as ErrorTexts,
  );
}

/** A source that answers with this user, or throws this error. */
const sourceOf = (answer: Principal | Error | undefined): AuthMessages => ({
  types: ['ws', 'graphql'],
  principalOf: async () => {
    asked.push('source');
    if (answer instanceof Error) {
      throw answer;
    }
    return answer;
  },
});

const call = (handler: Handler, type = 'ws') => handlerCall(Gateway, handler, type);

describe('a message', () => {
  const ANSWERS = {
    nobody: undefined,
    'a user': user,
    'a wrong token': new AuthException(AuthErrorCode.TOKEN_INVALID),
    'no token': new AuthException(AuthErrorCode.TOKEN_MISSING),
    'a failure': new AuthException(AuthErrorCode.AUTH_UNAVAILABLE),
    "a failure with somebody else's code": Object.assign(new Error('broken'), { code: 40101 }),
  };

  const open = (reason: string) => ({ outcome: 'open', reason });
  const admitted = { outcome: 'admitted', scheme: 'stub' };
  it.each<[Handler, keyof typeof ANSWERS, number | object]>([
    ['plain', 'nobody', open('message')],
    ['plain', 'a user', admitted],
    ['plain', 'a wrong token', 40101],
    ['closed', 'nobody', 40100],
    ['closed', 'a user', admitted],
    ['closed', 'a wrong token', 40101],
    ['optional', 'nobody', open('optional')],
    ['optional', 'a user', admitted],
    ['optional', 'no token', open('optional')],
    ['optional', 'a wrong token', 40101],
    ['optional', 'a failure', 50300],
    ['lenient', 'a user', admitted],
    ['lenient', 'no token', open('optional')],
    ['lenient', 'a wrong token', open('optional')],
    ['lenient', 'a failure', 50300],
    ['lenient', "a failure with somebody else's code", 40101],
  ])('to the handler %s from %s', async (handler, from, expected) => {
    const admission = admissionWith(sourceOf(ANSWERS[from]));
    let code: unknown;
    const decisions = await published('kit-auth:decision', async () => {
      const answer = await Promise.resolve(call(handler))
        .then((context) => admission.admit(context))
        .catch((error: unknown) => error);
      code = answer === true ? undefined : (answer as AuthException).code;
    });
    expect(code === undefined ? decisions : code).toEqual(
      typeof expected === 'number' ? expected : [{ via: 'ws', ...expected }],
    );
    expect(checks.map(([checked]) => checked)).toEqual(expected === admitted ? [user] : []);
  });

  it('to an open handler has no user, and none is looked for', () => {
    expect(admissionWith(sourceOf(user)).admit(call('open'))).toBe(true);
    expect([asked, checks]).toEqual([[], []]);
  });

  it('must meet the requirements of its handler, or none besides a user', async () => {
    const admission = admissionWith(sourceOf(user));
    await admission.admit(call('closed'));
    await admission.admit(call('plain'));
    const [closed, plain] = checks.map(([, , rule]) => rule);
    expect(closed?.requirements).toMatchObject([{ kind: 'role', names: ['editor'] }]);
    expect(plain).toMatchObject({ decision: 'token', requirements: [] });
  });

  it.each([
    ['carried', credentials[1]],
    ['stub', undefined],
  ])('is checked with the credential that has resolved its user: %s', async (scheme, credential) => {
    await admissionWith(sourceOf(principal(scheme))).admit(call('plain'));
    expect(checks[0]?.[1]).toBe(credential);
  });

  it('is checked in the context that already has its user, or in one of its own', async () => {
    const admission = admissionWith(sourceOf(user));
    const admitIn = async (of: Principal | undefined) => {
      const context = contexts.open(of, undefined);
      await context.run(() => admission.admit(call('plain')));
      return context;
    };
    const own = await admitIn(user);
    await admitIn(principal());
    await admitIn(undefined);
    await admission.admit(call('plain'));
    expect(checkedIn).toEqual(Array(4).fill(expect.objectContaining({ principal: user })));
    expect(checkedIn.map((context) => context === own)).toEqual([true, false, false, false]);
  });

  it('is admitted without a promise if nobody makes one, and after the check that makes one', async () => {
    const source = { principalOf: () => user };
    expect(admissionWith(source).admit(call('plain'))).toBe(true);
    const refusing = () => Promise.reject(new AuthException(AuthErrorCode.FORBIDDEN));
    await expect(admissionWith(source, refusing).admit(call('plain'))).rejects.toMatchObject({ code: 40300 });
  });

  it.each<[Handler, Principal | undefined]>([
    ['plain', user],
    ['plain', undefined],
    ['optional', user],
  ])('that was admitted is not asked about again: %s, %j', async (handler, from) => {
    const admission = admissionWith(sourceOf(from));
    const context = call(handler);
    await admission.admit(context);
    expect(admission.admit(context)).toBe(true);
    expect(asked).toEqual(['source']);
    expect(checks).toHaveLength(from === undefined ? 0 : 1);
  });

  it('that was refused is asked about again', async () => {
    const admission = admissionWith(sourceOf(undefined));
    const context = call('closed');
    await expect(admission.admit(context)).rejects.toMatchObject({ code: 40100 });
    await expect(admission.admit(context)).rejects.toMatchObject({ code: 40100 });
  });
});

describe('an operation of GraphQL', () => {
  const openedAt = (url: string) => contexts.open(undefined, undefined, { url, headers: {}, socket: {} });

  it.each<[string, number | true]>([
    ['/v1/graphql', 40100],
    ['/graphql', true],
  ])('has the path of the request that opened its connection: %s', async (url, expected) => {
    const admission = admissionWith(sourceOf(undefined));
    const answer = await openedAt(url)
      .run(async () => admission.admit(call('plain', 'graphql')))
      .catch((error: unknown) => (error as AuthException).code);
    expect(answer).toBe(expected);
  });

  const inMessage = <T>(work: () => T): T => openedAt('/graphql').run(work);
  const outside = <T>(work: () => T): T => work();
  it.each<[string, AuthMessages | undefined, typeof outside, boolean]>([
    ['a message over a socket whose users are known', sourceOf(user), inMessage, true],
    ['no message over a socket whose users nobody knows', undefined, inMessage, false],
    ['no message over HTTP', sourceOf(user), outside, false],
  ])('is %s', (_what, source, run, isMessage) => {
    expect(run(() => admissionWith(source).handles(call('plain', 'graphql')))).toBe(isMessage);
  });
});

describe('the refusal of a message', () => {
  const refusal = new AuthException(AuthErrorCode.TOKEN_MISSING);
  const heard: unknown[] = [];
  const refusing = (chosen: (error: AuthException) => unknown) =>
    admissionWith({
      refusal: (error) => {
        heard.push(error);
        return chosen(error);
      },
    });
  const own = new Error('of the source');

  it.each<[string, MessageAdmission, unknown]>([
    ['without a source is translated', admissionWith(), translated],
    ['of a source that leaves it is translated', admissionWith(sourceOf(user)), translated],
    ['that a source returns is translated', refusing((error) => error), translated],
    ['may be another error of the source, which stays as it is', refusing(() => own), own],
  ])('%s', (_what, admission, thrown) => {
    expect(admission.refusalOf(call('plain'), refusal)).toBe(thrown);
  });

  it('is not what a source is told of failures that are no refusals', () => {
    heard.length = 0;
    const failure = new Error('broken');
    expect(refusing(() => own).refusalOf(call('plain'), failure)).toBe(failure);
    expect(heard).toEqual([]);
  });
});
