import { createRequire } from 'node:module';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';

const LOOSE_ROUTING = {
  caseSensitive: false,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  useSemicolonDelimiter: true,
};

/** The values that Express and Fastify accept. */
export type TrustProxy = boolean | number | string | ((address: string, hop: number) => boolean);

export const PLATFORMS = {
  express: (trustProxy: TrustProxy = false) => {
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
  // Its types have no number, which it ignores.
  fastify: (trustProxy: TrustProxy = false) =>
    new FastifyAdapter({ trustProxy: trustProxy as Exclude<TrustProxy, number> }),
  'fastify with loose routing': () =>
    new FastifyAdapter({
      // The types of Fastify lack the options of its router.
      routerOptions: { ...LOOSE_ROUTING },
    }),
} as const;

export type Platform = keyof typeof PLATFORMS;

/** For `describe.each`: the two platforms with their own routing. */
export const BOTH = ['express', 'fastify'] as const satisfies readonly Platform[];
