import { randomUUID } from 'node:crypto';
import { ConflictException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { eq } from 'drizzle-orm';
import { NewPasswords } from 'kit-auth/login';
import { DATABASE, type Database } from '../database/database.module.js';
import { type Role, userRoles, users } from '../database/schema.js';
import type { SignUpDto } from './users.dto.js';

@Injectable()
export class UsersService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly passwords: NewPasswords,
  ) {}

  /** Creates a reader. The password must follow the password policy of kit-auth. */
  async signUp({ email, fullName, password }: SignUpDto): Promise<{ id: string }> {
    const passwordHash = await this.passwords.hash(password, email);
    return this.db.transaction(async (transaction) => {
      const [user] = await transaction
        .insert(users)
        .values({ email, fullName, passwordHash })
        .onConflictDoNothing()
        .returning({ id: users.id });
      if (user === undefined) {
        throw new ConflictException('There is an account with this e-mail address');
      }
      await transaction.insert(userRoles).values({ userId: user.id, role: 'reader' });
      return user;
    });
  }

  /** The new stamp ends the tokens that contain the old roles. */
  async setRoles(userId: string, roles: Role[]): Promise<void> {
    await this.db.transaction(async (transaction) => {
      const [user] = await transaction
        .update(users)
        .set({ securityStamp: randomUUID() })
        .where(eq(users.id, userId))
        .returning({ id: users.id });
      if (user === undefined) {
        throw new NotFoundException();
      }
      await transaction.delete(userRoles).where(eq(userRoles.userId, userId));
      if (roles.length > 0) {
        await transaction.insert(userRoles).values(roles.map((role) => ({ userId, role })));
      }
    });
  }
}
