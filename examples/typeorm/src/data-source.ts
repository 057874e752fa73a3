import { kitAuthEntities, kitAuthMigrations } from 'kit-auth-session/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { CreateTables1700000000000 } from './migrations/1700000000000-create-tables';
import { AddSecurityStamp1760000000000 } from './migrations/1760000000000-add-security-stamp';
import { Order } from './orders/order.entity';
import { Role } from './users/role.entity';
import { User } from './users/user.entity';

export const options: DataSourceOptions = {
  type: 'postgres',
  url: process.env.DATABASE_URL,
  entities: [User, Role, Order, ...kitAuthEntities],
  migrations: [CreateTables1700000000000, AddSecurityStamp1760000000000, ...kitAuthMigrations],
};

/** For the command line of TypeORM. */
export default new DataSource(options);
