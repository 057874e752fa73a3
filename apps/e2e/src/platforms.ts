import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll } from '@jest/globals';
import type { INestApplication, LoggerService, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { MemoryLogger } from './memory-logger.js';

const LOOSE_ROUTING = {
  caseSensitive: false,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  useSemicolonDelimiter: true,
};

export const PLATFORMS = {
  express: (trustProxy = false) => {
    const adapter = new ExpressAdapter();
    adapter.set('trust proxy', trustProxy);
    return adapter;
  },
  'express with strict routing': () => {
    const express = createRequire(import.meta.resolve('@nestjs/platform-express'))('express') as () => {
      enable(setting: string): void;
    };
    const instance = express();
    // Express reads both when it gets its first route or middleware.
    instance.enable('strict routing');
    instance.enable('case sensitive routing');
    return new ExpressAdapter(instance);
  },
  fastify: (trustProxy = false) => new FastifyAdapter({ trustProxy }),
  'fastify with loose routing': () =>
    new FastifyAdapter({
      // The types of Fastify lack what its router takes.
      routerOptions: { ...LOOSE_ROUTING },
    }),
} as const;

export type Platform = keyof typeof PLATFORMS;
/** The two as they come; the loose one is for what depends on the router. */
export const BOTH = ['express', 'fastify'] as const satisfies readonly Platform[];

export interface Running {
  app: INestApplication;
  port: number;
  logger: MemoryLogger;
}

export interface StartOptions extends Omit<NestApplicationOptions, 'logger'> {
  platform?: Platform;
  /** Whether `X-Forwarded-For` is believed. */
  trustProxy?: boolean;
  logger?: LoggerService;
  /** Runs before the application listens. */
  configure?: (app: INestApplication) => void;
}

const running = new Set<INestApplication>();
/** A test that fails before it closes its application must not keep the run from ending. */
afterAll(async () => {
  await Promise.all([...running].map((app) => app.close()));
});

/** Starts an application on a free port. Rejects as `listen()` does. */
export async function start(module: object, options: StartOptions = {}): Promise<Running> {
  const { platform = 'express', trustProxy, configure, ...nestOptions } = options;
  const logger = new MemoryLogger();
  const app: INestApplication = await NestFactory.create(
    module as never,
    PLATFORMS[platform](trustProxy) as never,
    {
      abortOnError: false,
      forceCloseConnections: true,
      ...nestOptions,
      logger,
    },
  );
  try {
    configure?.(app);
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close().catch(() => undefined);
    throw Object.assign(error as Error, { logger });
  }
  const server = app.getHttpServer() as Server;
  running.add(app);
  server.once('close', () => running.delete(app));
  return { app, port: (server.address() as AddressInfo).port, logger };
}
