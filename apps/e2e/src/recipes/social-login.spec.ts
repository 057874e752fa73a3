import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Param, ParseIntPipe } from '@nestjs/common';
import { KitAuthContext, Public, type UserId } from 'kit-auth';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { EVERYWHERE, sharedTestApp } from 'test-support';
import { SocialLogin, SocialLoginModule } from './social-login.module.js';

@Controller('v1/social')
class SocialController {
  constructor(
    private readonly logins: SocialLogin,
    private readonly context: KitAuthContext,
  ) {}

  @Public()
  @Get(':id/login')
  async login(@Param('id', ParseIntPipe) id: UserId) {
    return { token: await this.logins.tokenFor(id, 'google') };
  }

  @Get('proof')
  proof() {
    return this.context.proof()?.factors;
  }
}

describe.each(EVERYWHERE)('a login with another service on $platform with $provider', (where) => {
  const app = sharedTestApp({ ...where, imports: [SocialLoginModule], controllers: [SocialController] });
  let id: number;

  beforeAll(async () => {
    ({ id } = await app.user({ username: 'ada' }));
  });

  it('gives a token that says how the user logged in', async () => {
    const { token } = (await app.request(`/v1/social/${id}/login`)).json;
    expect(await app.stateOf(token)).toBe('live');
    expect((await app.request('/v1/social/proof', { token })).json).toEqual({ google: expect.any(Number) });
  });

  it('is refused for a user who is disabled or unknown', async () => {
    await app.users.update({ id }, { status: AuthUserStatus.DISABLED });
    for (const userId of [id, 987654]) {
      expect((await app.request(`/v1/social/${userId}/login`)).json.code).toBe(40111);
    }
  });
});
