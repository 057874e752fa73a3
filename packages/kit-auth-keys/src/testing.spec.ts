import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { CurrentUser, type LoginUser, RequirePermissions } from 'kit-auth';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { sharedTestApp } from 'test-support';
import { KitAuthKeysModule } from './kit-auth-keys.module.js';
import { actingWithKey } from './testing.js';

@Controller('v1/notes')
class NotesController {
  @Get()
  @RequirePermissions('note:read')
  list(@CurrentUser() { username }: LoginUser) {
    return [username];
  }
}

describe('actingWithKey()', () => {
  const app = sharedTestApp({ imports: [KitAuthKeysModule], controllers: [NotesController] });
  let userId: number;
  beforeAll(async () => {
    const role = await app.role({ permissions: ['note:*'] });
    userId = (await app.user({ username: 'ada', roles: [role] })).id;
    await app.user({ username: 'eve', status: AuthUserStatus.DISABLED });
  });

  it.each(['ada', 'id'])('creates a key of a user: %s', async (how) => {
    const owner = how === 'id' ? { userId } : how;
    const { id, key, headers } = await actingWithKey(app.nest, owner, ['note:read']);
    expect(key).toMatch(new RegExp(`^kapk_${id}_`));
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const { status, json } = await app.request('/v1/notes', { headers: lines });
    expect([status, json]).toEqual([200, ['ada']]);
  });

  it('says what is wrong', async () => {
    await expect(actingWithKey(app.nest, 'bob', ['note:read'])).rejects.toThrow('no enabled user ');
    await expect(actingWithKey(app.nest, 'eve', ['note:read'])).rejects.toThrow("no enabled user 'eve'");
    await expect(actingWithKey(app.nest, 'ada', ['note:read', 'user:*'])).rejects.toThrow(
      'ada lacks the permission user:*.',
    );
  });
});
