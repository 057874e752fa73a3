import { describe, expect, it } from '@jest/globals';
import { AllowKeys, areKeysAllowed } from './allow-keys.decorator.js';

type AnyMethod = (...parts: unknown[]) => unknown;

/** As many decorators do: replaces the method and leaves its metadata behind. */
const Timed = (): MethodDecorator => (_target, _name, descriptor) => {
  const original = descriptor.value as AnyMethod;
  descriptor.value = function (this: unknown, ...parts: unknown[]) {
    return original.apply(this, parts);
  } as never;
};

class Jobs {
  @AllowKeys()
  plain() {}

  @Timed()
  @AllowKeys()
  wrapped() {}

  @AllowKeys()
  @Timed()
  around() {}

  @Timed()
  closed() {}
}

class MoreJobs extends Jobs {
  override plain() {}
}

const handlerOf = (type: new () => object, name: string) =>
  Reflect.get(type.prototype as object, name) as object;

describe('@AllowKeys()', () => {
  it.each([
    ['plain', true],
    ['wrapped', true],
    ['around', true],
    ['closed', false],
  ])('on %s: %s', (name, expected) => {
    expect(areKeysAllowed(Jobs, handlerOf(Jobs, name))).toBe(expected);
  });

  it('applies to a bound method, and to no function that hides which method it is', () => {
    const boundOf = (name: string) => (handlerOf(Jobs, name) as AnyMethod).bind(new Jobs());
    expect(areKeysAllowed(Jobs, boundOf('plain'))).toBe(true);
    expect(() => areKeysAllowed(Jobs, boundOf('wrapped'))).toThrow('its decorators cannot be determined');
  });

  it('does not apply to a method that takes its place', () => {
    expect(areKeysAllowed(MoreJobs, handlerOf(MoreJobs, 'plain'))).toBe(false);
    expect(areKeysAllowed(MoreJobs, handlerOf(MoreJobs, 'wrapped'))).toBe(true);
  });
});
