import { describe, expect, it } from '@jest/globals';
import { loginUser, nodeResponse } from 'test-support';
import { currentRequest, KitAuthContext, openRequestContext } from './kit-auth.context.js';
import { currentMessage, MessageContexts, messageRequest } from './message-contexts.js';

const contexts = new MessageContexts();
const context = new KitAuthContext();
const principal = (userId: number) => ({
  user: loginUser({ userId }),
  proof: { factors: {} },
  scheme: 'stub',
  token: 't',
});
const [ada, bob] = [principal(1), principal(2)];
const client = { address: '192.0.2.1', userAgent: 'x', hasLeft: () => false };
const upgrade = { url: '/v1/socket', headers: {}, socket: {} };
const now = () => [context.get(), context.principal(), context.client()];

describe('the context of a message', () => {
  it('has the user and the sender', () => {
    const message = contexts.open(ada, client);
    expect(message.run(now)).toEqual([ada.user, ada, client]);
    expect(message.run(currentMessage)).toBe(message);
    expect(contexts.run(ada, undefined, now)).toEqual([ada.user, ada, undefined]);
  });

  it('is no request', () => {
    contexts.run(undefined, client, () => {
      expect(currentRequest()).toBeUndefined();
      expect(() => context.getOrThrow()).toThrow('No token was sent, log in first');
    });
  });

  it('can have another user, also for what is running, until it is closed', () => {
    const message = contexts.open(undefined, client);
    message.run(() => {
      message.renew(ada);
      expect(now()).toEqual([ada.user, ada, client]);
      message.renew(bob);
      expect(now()).toEqual([bob.user, bob, client]);
      message.close();
      expect(now()).toEqual([undefined, undefined, client]);
      message.renew(ada);
      expect(now()).toEqual([undefined, undefined, client]);
    });
  });

  it('knows the path of the request that opened its connection, if there was one', () => {
    expect(contexts.open(ada, client, upgrade).run(messageRequest)).toEqual({ url: '/v1/socket' });
    expect(contexts.open(ada, client).run(messageRequest)).toEqual({ url: '' });
    expect(messageRequest()).toEqual({ url: '' });
  });

  it('is not that of a request or a job', () => {
    expect(currentMessage()).toBeUndefined();
    expect(context.run(ada.user, currentMessage)).toBeUndefined();
    openRequestContext(upgrade, nodeResponse(), () => {
      expect([currentMessage(), messageRequest()]).toEqual([undefined, { url: '' }]);
    });
  });
});
