import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import {
  AUTH_CREDENTIAL,
  type AuthCredential,
  KitAuthContext,
  Public,
  RequirePermissions,
  RequireRoles,
} from 'kit-auth';
import { AuthUserStatus, type AuthUser } from 'kit-auth/typeorm';
import { describeCredential } from 'kit-auth-testing';
import { EVERYWHERE, sharedTestApp, sweepOf } from 'test-support';
import { ApiKeyModule } from './api-key.module.js';

@Controller('v1/notes')
class NotesController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  @RequirePermissions('note:read')
  list() {
    const { scheme, proof, user } = this.context.principal()!;
    return { scheme, factors: Object.keys(proof.factors), userId: user.userId };
  }

  @Get('drafts')
  @RequirePermissions('note:publish')
  drafts() {
    return [];
  }

  @Get('own')
  own() {
    return [];
  }

  @Get('editors')
  @RequireRoles('editor')
  editors() {
    return [];
  }

  @Get('public')
  @Public()
  public() {
    return { user: this.context.get() };
  }
}

describe.each(sweepOf(EVERYWHERE, EVERYWHERE.slice(0, 1)))(
  'API keys on $platform with $provider',
  (where) => {
    const app = sharedTestApp({ ...where, imports: [ApiKeyModule], controllers: [NotesController] });
    let ada: AuthUser;
    let token: string;
    const newKey = async (of = token): Promise<string> => (await app.call(of, 'POST', 'keys')).json.key;
    beforeAll(async () => {
      const editor = await app.role({ code: 'editor', permissions: ['note:read', 'auth:user:write'] });
      ada = await app.user({ roles: [editor] });
      token = await app.tokenOf(ada);
    });

    describeCredential('api-key', () => ({
      credential: app.get<AuthCredential>(AUTH_CREDENTIAL),
      newToken: () => newKey(),
      userId: ada.id,
    }));

    it('call routes for which their owner has the permissions, and no others', async () => {
      const key = await newKey();
      const { status, json } = await app.request('/v1/notes', { token: key });
      expect([status, json]).toEqual([200, { scheme: 'api-key', factors: ['key'], userId: ada.id }]);
      for (const [path, code] of [
        ['/v1/notes/drafts', 40300],
        ['/v1/notes/own', 40304],
        ['/v1/notes/editors', 40304],
        ['/v1/notes/public', 200],
        ['/v1/api/auth/me', 40304],
        ['/v1/api/auth/sessions', 40304],
      ] as const) {
        expect([path, await app.codeOf(key, path)]).toEqual([path, code]);
      }
      expect((await app.call(key, 'POST', 'logout')).json.code).toBe(40304);
      expect((await app.call(key, 'POST', 'keys')).json.code).toBe(40304);
      expect(await app.codeOf(key, '/v1/notes')).toBe(200);
      expect(await app.codeOf(token, '/v1/notes/own')).toBe(200);
    });

    it('end with the account of their owner', async () => {
      const owner = await app.user({ roles: ['editor'] });
      const key = await newKey(await app.tokenOf(owner));
      await app.users.update(owner.id, { mustChangePassword: true });
      expect(await app.codeOf(key, '/v1/notes')).toBe(40301);
      await app.users.update(owner.id, { status: AuthUserStatus.DISABLED });
      expect(await app.codeOf(key, '/v1/notes')).toBe(40101);
    });

    it('of a super administrator do not have all permissions', async () => {
      const key = await newKey(await app.tokenOf(await app.administrator()));
      expect(await app.codeOf(key, '/v1/notes')).toBe(40300);
    });
  },
);
