import { Injectable, UnauthorizedException } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import bcrypt from 'bcrypt';
import { ExtractJwt, Strategy as PassportJwt } from 'passport-jwt';
import { Strategy as PassportLocal } from 'passport-local';
import { type User, UsersService } from './users.service.js';

@Injectable()
export class LocalStrategy extends PassportStrategy(PassportLocal) {
  constructor(private readonly users: UsersService) {
    super({ usernameField: 'email' });
  }

  async validate(email: string, password: string): Promise<User> {
    const user = await this.users.findByEmail(email);
    if (!user?.active || !(await bcrypt.compare(password, user.passwordHash))) {
      throw new UnauthorizedException();
    }
    return user;
  }
}

@Injectable()
export class JwtStrategy extends PassportStrategy(PassportJwt) {
  constructor(private readonly users: UsersService) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKey: process.env['JWT_SECRET'] as string,
    });
  }

  async validate({ sub }: { sub: number }) {
    const user = await this.users.findById(sub);
    if (!user?.active) {
      throw new UnauthorizedException();
    }
    return { userId: user.id, username: user.email, roles: user.roles };
  }
}
