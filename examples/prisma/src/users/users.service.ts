import { randomUUID } from 'node:crypto';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { NewPasswords } from 'kit-auth/login';
import { isTaken, PrismaService } from '../database/prisma.service.js';
import type { Role } from '../generated/enums.js';
import type { SignUpDto } from './users.dto.js';

@Injectable()
export class UsersService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly passwords: NewPasswords,
  ) {}

  /** Creates a reader. The password must follow the password policy of kit-auth. */
  async signUp({ email, fullName, password }: SignUpDto): Promise<{ id: string }> {
    const passwordHash = await this.passwords.hash(password, email);
    try {
      return await this.prisma.user.create({
        data: { email, fullName, passwordHash, roles: ['reader'] },
        select: { id: true },
      });
    } catch (error) {
      throw isTaken(error) ? new ConflictException('There is an account with this e-mail address') : error;
    }
  }

  /** The new stamp ends the tokens that contain the old roles. */
  async setRoles(id: string, roles: Role[]): Promise<void> {
    const { count } = await this.prisma.user.updateMany({
      where: { id },
      data: { roles, securityStamp: randomUUID() },
    });
    if (count === 0) {
      throw new NotFoundException();
    }
  }
}
