import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it, jest } from '@jest/globals';
import { ownOutput } from './own-output.js';

it('reports rejections that nobody handles, and not those that Nest handles late', () => {
  const exit = jest.fn();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const process = Object.assign(new EventEmitter(), { stdout, stderr, exit });
  const { done } = ownOutput(process as unknown as NodeJS.Process, false);
  const [late, lost] = ['late', 'lost'].map((name) => ({ name, promise: Promise.resolve() }));
  for (const { name, promise } of [late!, lost!]) {
    process.emit('unhandledRejection', new Error(name), promise);
  }
  process.emit('rejectionHandled', late!.promise);
  expect(stderr.read()).toBeNull();
  done(0);
  expect(String(stderr.read())).toBe('kit-auth: The application failed in the background: Error: lost\n');
  expect(exit.mock.calls).toEqual([[0]]);
});
