import { randomUUID } from 'node:crypto';
import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { NewPasswords } from 'kit-auth/login';
import { In, Repository } from 'typeorm';
import { Role } from './role.entity';
import { User } from './user.entity';
import { SignUpDto } from './users.dto';

@Injectable()
export class UsersService {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    @InjectRepository(Role) private readonly roles: Repository<Role>,
    private readonly passwords: NewPasswords,
  ) {}

  /** The password must follow the password policy of kit-auth. */
  async signUp({ email, firstName, lastName, password }: SignUpDto): Promise<{ id: number }> {
    const hash = await this.passwords.hash(password, email);
    const { identifiers } = await this.users
      .createQueryBuilder()
      .insert()
      .values({ email, firstName, lastName, password: hash })
      .orIgnore()
      .execute();
    if (identifiers[0] === undefined) {
      throw new ConflictException('There is an account with this e-mail address');
    }
    return { id: identifiers[0].id };
  }

  async setRoles(id: number, names: string[]): Promise<void> {
    const user = await this.users.findOneBy({ id });
    if (user === null) {
      throw new NotFoundException();
    }
    const roles = await this.roles.findBy({ name: In(names) });
    if (roles.length < names.length) {
      throw new BadRequestException('There is no such role');
    }
    await this.users.save({ ...user, roles, securityStamp: randomUUID() });
  }
}
