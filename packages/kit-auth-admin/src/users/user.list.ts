import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AuthUser, LoginThrottle } from 'kit-auth';
import { In, Repository } from 'typeorm';
import { type Page, type Query, readPage, readText } from '../input/page.js';
import { type UserView, viewOf } from './user.view.js';

/** Users, searched and filtered, in pages. */
@Injectable()
export class UserList {
  constructor(
    @InjectRepository(AuthUser) private readonly users: Repository<AuthUser>,
    private readonly throttle: LoginThrottle,
  ) {}

  /**
   * @param query `q` (a part of the username or nickname, in any case), `status`, `role` (a code), `page`, `size`
   * @throws AuthException 40000
   */
  async read(query: Query): Promise<Page<UserView>> {
    const { page, size, skip } = readPage(query);
    const [q, status, role] = ['q', 'status', 'role'].map((name) => readText(query, name));
    const found = this.users.createQueryBuilder('user').where('1 = 1');
    if (q !== undefined) {
      const pattern = `%${q.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
      found.andWhere(
        "(LOWER(user.username) LIKE :pattern ESCAPE '!' OR LOWER(user.nickname) LIKE :pattern ESCAPE '!')",
        { pattern },
      );
    }
    if (status !== undefined) {
      found.andWhere('user.status = :status', { status });
    }
    if (role !== undefined) {
      found.innerJoin('user.roles', 'role', 'role.code = :role', { role });
    }
    // In the order of their making, so that a page stays what it was.
    const total = await found.getCount();
    const rows = await found.select('user.id', 'id').orderBy('user.id').offset(skip).limit(size).getRawMany();
    const items = await this.users.find({
      where: { id: In(rows.map(({ id }: { id: number }) => id)) },
      relations: { roles: true },
      order: { id: 'ASC' },
    });
    return { items: await Promise.all(items.map((user) => this.view(user))), page, size, total };
  }

  private async view(user: AuthUser): Promise<UserView> {
    return viewOf(user, await this.throttle.lockedUntil(user.username));
  }
}
