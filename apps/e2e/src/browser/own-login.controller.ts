import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { AuthManager, Public, type UserId } from 'kit-auth';

/** Your own code. */
export abstract class Members {
  /** Creates an account, or throws. */
  abstract create(email: string, password: string): Promise<UserId>;
}

@Controller('account')
@Public()
export class AccountController {
  constructor(
    private readonly auth: AuthManager,
    private readonly members: Members,
  ) {}

  @Post('login')
  @HttpCode(200)
  logIn(@Body() { email, password }: { email: string; password: string }) {
    return this.auth.loginWithPassword(email, password);
  }

  @Post('register')
  async register(@Body() { email, password }: { email: string; password: string }) {
    const userId = await this.members.create(email, password);
    return this.auth.loginAs(userId, { factors: { password: Math.floor(Date.now() / 1000) } });
  }

  @Post('logout')
  @HttpCode(204)
  async logOut(): Promise<void> {
    await this.auth.logout();
  }
}
