import { Injectable } from '@nestjs/common';

export interface User {
  id: number;
  email: string;
  name: string;
  passwordHash: string;
  roles: string[];
  active: boolean;
}

const passwordHash = '$2b$10$yXtBYOOTeEQxMZhQuZqvSu2eIsd/zrxmh/3Iok9G0xCasAxPBfKxC';

/** In your application: a repository, Prisma, Drizzle. */
@Injectable()
export class UsersService {
  private readonly users: User[] = [
    { id: 1, email: 'ada@example.com', name: 'Ada', passwordHash, roles: ['admin'], active: true },
    { id: 2, email: 'bob@example.com', name: 'Bob', passwordHash, roles: [], active: true },
  ];

  async findByEmail(email: string): Promise<User | undefined> {
    return this.users.find((user) => user.email === email);
  }

  async findById(id: number): Promise<User | undefined> {
    return this.users.find((user) => user.id === id);
  }
}
