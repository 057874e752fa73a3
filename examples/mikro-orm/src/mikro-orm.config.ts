import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { Member } from './members/member.entity';

export default (): Options =>
  defineConfig({
    clientUrl: process.env.DATABASE_URL,
    entities: [Member],
  });
