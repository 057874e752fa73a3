import { Controller, Post, Req, UseGuards } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { LocalAuthGuard } from './guards.js';
import type { User } from './users.service.js';

@Controller('auth')
export class AuthController {
  constructor(private readonly jwt: JwtService) {}

  @Post('login')
  @UseGuards(LocalAuthGuard)
  login(@Req() { user }: { user: User }) {
    return { access_token: this.jwt.sign({ sub: user.id, username: user.email }) };
  }
}
