import { Body, Controller, Post } from '@nestjs/common';
import { AuthErrorCode, AuthException, AuthManager, Public } from 'kit-auth';

@Controller('auth')
export class AuthController {
  constructor(private readonly manager: AuthManager) {}

  @Post('login')
  @Public()
  async login(@Body('email') email: unknown, @Body('password') password: unknown) {
    if (!isFilled(email) || !isFilled(password)) {
      throw new AuthException(AuthErrorCode.LOGIN_FAILED);
    }
    const { token } = await this.manager.login(email, password);
    return { access_token: token };
  }
}

function isFilled(field: unknown): field is string {
  return typeof field === 'string' && field !== '';
}
