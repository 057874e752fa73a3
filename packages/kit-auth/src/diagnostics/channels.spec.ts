import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { AuthOperationMessage } from './messages.js';
import { Operation } from './channels.js';

const operation = new Operation<AuthOperationMessage>('kit-auth:spec');
const START = 'tracing:kit-auth:spec:start';
const ended: (() => unknown)[] = [];
afterEach(() => ended.splice(0).forEach((end) => end()));

function onStart(listen: (message: AuthOperationMessage) => void): void {
  const listener = (message: unknown) => listen(message as AuthOperationMessage);
  subscribe(START, listener);
  ended.push(() => unsubscribe(START, listener));
}

describe('an operation', () => {
  it('runs its work in the contexts of its subscribers, one within the other', async () => {
    const heard: string[] = [];
    for (const name of ['inner', 'outer']) {
      onStart((message) => {
        const { around = (work) => work() } = message;
        message.around = (work) => {
          heard.push(name);
          return around(work);
        };
      });
    }
    expect(operation.run({}, () => heard.push('work'))).toBe(3);
    expect(heard).toEqual(['outer', 'inner', 'work']);
    await expect(operation.run({}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('keeps a context in an AsyncLocalStorage that is bound to its start', async () => {
    const storage = new AsyncLocalStorage<string>();
    channel(START).bindStore(storage, () => 'inside');
    ended.push(() => channel(START).unbindStore(storage));
    const inside = operation.run({}, async () => {
      await Promise.resolve();
      return storage.getStore();
    });
    expect(storage.getStore()).toBeUndefined();
    expect(await inside).toBe('inside');
  });
});
