import { Controller, Get, type INestApplication, type Type, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';

export type Platform = 'express' | 'fastify';

/** An application whose `GET /v1/hello` needs authentication, as somebody would build it with a certain library. */
export interface Peer {
  app: INestApplication;
  /** Called when the application is ready. @returns a header line for each session; none where JWTs are read */
  logIn?(): Promise<string[]>;
  /** What the process can be asked to do, by name. */
  answers?: Record<string, () => Promise<unknown>>;
}

/** What every application serves. */
@Controller('v1')
export class HelloController {
  @Get('hello')
  hello() {
    return { hello: 'world' };
  }

  @Get('open')
  open() {
    return { hello: 'world' };
  }
}

export function createApp(root: Type | DynamicModule, platform: Platform): Promise<INestApplication> {
  const adapter = platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
  return NestFactory.create(root, adapter as ExpressAdapter, { logger: false });
}
