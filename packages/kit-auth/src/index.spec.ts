import { describe, expect, it } from '@jest/globals';
import * as kitAuth from './index.js';

describe('kit-auth', () => {
  it('exports these names and no other', () => {
    expect(Object.keys(kitAuth).sort()).toEqual([
      'AUTH_ADDRESSES',
      'AUTH_BUS',
      'AUTH_COMMAND',
      'AUTH_CREDENTIAL',
      'AUTH_EVENT_SINK',
      'AUTH_LOGINS',
      'AUTH_MESSAGES',
      'AUTH_PROVIDER',
      'AUTH_USER_STORE',
      'AuthErrorCode',
      'AuthEvents',
      'AuthException',
      'AuthManager',
      'Authorize',
      'CurrentUser',
      'ERROR_TEXTS',
      'ErrorTexts',
      'IllegalStateException',
      'KIT_AUTH_SETTINGS',
      'KitAuthContext',
      'KitAuthModule',
      'LOGIN_END_LISTENER',
      'LOGIN_STEP',
      'OptionalUser',
      'PASSWORD_HASHER',
      'Public',
      'RequireFresh',
      'RequirePermissions',
      'RequireRoles',
      'RequireToken',
      'RouteAccessReport',
      'TOKEN_TRANSPORT',
      'hasPermission',
      'isPermission',
      'kitAuthConfig',
    ]);
  });

  it('has a type for the classes of forRootAsync', () => {
    class FromElsewhere implements kitAuth.KitAuthOptionsFactory {
      async create() {
        return { tokenHeader: 'X-Token' };
      }
    }
    const { module } = kitAuth.KitAuthModule.forRootAsync({ useClass: FromElsewhere });
    expect(module).toBe(kitAuth.KitAuthModule);
  });

  it('has a symbol that other copies of it share', () => {
    expect(kitAuth.AUTH_PROVIDER).toBe(Symbol.for(kitAuth.AUTH_PROVIDER.description!));
  });

  it('has errors that say what they are', () => {
    expect(new kitAuth.IllegalStateException('x')).toMatchObject({
      name: 'IllegalStateException',
      message: 'x',
    });
    const { TOKEN_INVALID } = kitAuth.AuthErrorCode;
    expect(new kitAuth.AuthException(TOKEN_INVALID, { reason: 'idle' })).toMatchObject({
      code: 40101,
      reason: 'idle',
      message: expect.any(String),
      response: { statusCode: 401, code: 40101, error: 'TOKEN_INVALID', reason: 'idle' },
    });
  });
});
