import { FastifyAdapter } from '@nestjs/platform-fastify';

export const adapter = () => new FastifyAdapter();
