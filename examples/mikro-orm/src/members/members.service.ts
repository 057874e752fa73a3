import { randomUUID } from 'node:crypto';
import { EntityManager, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { NewPasswords } from 'kit-auth/login';
import { Member, MemberStatus } from './member.entity';
import type { NewMember } from './members.dto';

@Injectable()
export class MembersService {
  constructor(
    private readonly em: EntityManager,
    private readonly passwords: NewPasswords,
  ) {}

  list(): Promise<Member[]> {
    return this.em.find(Member, {}, { orderBy: { login: 'asc' } });
  }

  /** The password must follow the password policy of kit-auth. */
  async create({ password, ...data }: NewMember): Promise<Member> {
    const passwordHash = await this.passwords.hash(password, data.login);
    const member = this.em.create(Member, { ...data, passwordHash });
    try {
      await this.em.flush();
    } catch (error) {
      throw error instanceof UniqueConstraintViolationException
        ? new ConflictException('There is a member with this login')
        : error;
    }
    return member;
  }

  /** The next request in a session of the member ends the session. */
  async suspend(id: string): Promise<void> {
    const member = await this.em.findOneOrFail(
      Member,
      { id },
      { failHandler: () => new NotFoundException() },
    );
    member.status = MemberStatus.Suspended;
    member.securityStamp = randomUUID();
    await this.em.flush();
  }
}
