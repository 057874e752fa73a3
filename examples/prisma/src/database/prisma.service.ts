import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from '../generated/client.js';

@Injectable()
export class PrismaService extends PrismaClient implements OnApplicationShutdown {
  constructor() {
    super({
      adapter: new PrismaPg(
        { connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 },
        { onPoolError: ({ message }) => new Logger('Database').warn(message) },
      ),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.$disconnect();
  }
}

/** Whether a unique index has refused a row. */
export const isTaken = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
