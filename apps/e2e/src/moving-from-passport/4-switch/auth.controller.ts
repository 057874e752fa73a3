import { Controller, Post, Req } from '@nestjs/common';
import { AuthManager, Public } from 'kit-auth';
import { type JsonRequest, readTexts } from 'kit-auth/extend';

@Controller('auth')
export class AuthController {
  constructor(private readonly manager: AuthManager) {}

  @Post('login')
  @Public()
  async login(@Req() request: JsonRequest) {
    const { email, password } = readTexts(request, ['email', 'password']);
    const { token } = await this.manager.login(email, password);
    return { access_token: token };
  }
}
