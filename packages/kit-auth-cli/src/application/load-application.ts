import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { INestApplication, LoggerService, NestApplicationOptions, Type } from '@nestjs/common';
import type { ModulesContainer, NestFactory } from '@nestjs/core';
import { RouteAccessReport } from 'kit-auth';
import { withinDeadline } from 'kit-auth/tools';
import type { LoadOptions } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { exportedModule, exportedSetup, importFile } from './exports-of.js';
import type { FoundApplication } from './find-application.js';
import { OwnHooks, withoutHooks } from './own-hooks.js';
import { reasonOf } from '../reason.js';

/** The part of the application's own `@nestjs/core` that commands use. */
interface NestCore {
  NestFactory: typeof NestFactory;
  ModulesContainer: typeof ModulesContainer;
}

const CREATION_MS = 30_000;

/** An application whose instances exist. It does not listen, and runs only the lifecycle hooks that kit-auth needs. */
export class LoadedApplication {
  private constructor(
    readonly app: INestApplication,
    private readonly hooks: OwnHooks,
  ) {}

  /** @throws CliError when the application cannot be loaded, or does not use this copy of kit-auth */
  static async load(found: FoundApplication): Promise<LoadedApplication> {
    const resolve = resolverOf(found.module.file);
    checkCopy(found, resolve);
    const core = await nestCore(resolve);
    const module = exportedModule(found.module, await importFile(found.module));
    const setup = found.setup && exportedSetup(found.setup, await importFile(found.setup));
    const app = await create(core, module, found, resolve);
    const loaded = new LoadedApplication(app, new OwnHooks(app.get(core.ModulesContainer)));
    try {
      checkModules(app, core, found);
      await setup?.(app);
    } catch (error) {
      await loaded.close();
      throw error instanceof CliError ? error : failed(`${found.setup?.shown} failed`, error);
    }
    return loaded;
  }

  /** @throws CliError for a hook that rejects, unless there is `onProblem` */
  async start({ until = 'bootstrap', onProblem }: LoadOptions = {}): Promise<void> {
    try {
      await this.hooks.start(until, onProblem);
    } catch (error) {
      const left = until === 'init' ? this.hooksLeft() : [];
      const hint = left.length === 0 ? '' : `\n${withoutHooks('This command', left)}`;
      throw failed('kit-auth could not start', error, hint);
    }
  }

  /** Hooks that kit-auth needs and that have not run, for example `Database.onModuleInit()`. */
  hooksLeft(): string[] {
    return this.hooks.left();
  }

  /** Delivers events and mails that wait, and closes the connections. */
  close(): Promise<void> {
    return this.hooks.end();
  }
}

type Resolve = (specifier: string) => string | undefined;

/** Resolves packages like the application. */
function resolverOf(file: string): Resolve {
  const { resolve } = createRequire(file);
  return (specifier) => {
    try {
      return realpathSync(resolve(specifier));
    } catch {
      return undefined;
    }
  };
}

/** Requires the application's copy of kit-auth: commands get providers by their classes. */
function checkCopy({ module, root }: FoundApplication, resolve: Resolve): void {
  const theirs = resolve('kit-auth/package.json');
  const ours = resolverOf(import.meta.url)('kit-auth/package.json');
  if (theirs === undefined) {
    throw new CliError(`${module.shown} cannot load kit-auth. Install it: npm install kit-auth`);
  }
  if (theirs !== ours) {
    throw new CliError(
      `The application uses another copy of kit-auth than this command: ${dirname(theirs)}. Install kit-auth-cli ` +
        `beside that copy, and run it in ${root}:\n  npm install --save-dev kit-auth-cli`,
    );
  }
}

async function nestCore(resolve: Resolve): Promise<NestCore> {
  const file = resolve('@nestjs/core');
  if (file === undefined) {
    throw new CliError('The application cannot load @nestjs/core. Install its dependencies: npm install');
  }
  return importPackage<NestCore>(file);
}

async function importPackage<T>(file: string): Promise<T> {
  return (await import(pathToFileURL(file).href)) as T;
}

/** Creates all instances. This connects TypeORM. Hooks do not run. */
async function create(
  { NestFactory: factory }: NestCore,
  module: Type,
  { manifest, module: { shown } }: FoundApplication,
  resolve: Resolve,
): Promise<INestApplication> {
  const watch = new ConnectionWatch();
  const options: NestApplicationOptions = { abortOnError: false, logger: watch };
  try {
    const adapter = await serverAdapter(Object.keys({ ...manifest.dependencies }), resolve);
    const created = factory.create(module, adapter, options);
    created.catch(() => undefined); // It may reject after its connection was refused.
    return await withinDeadline(CREATION_MS, Promise.race([created, watch.refused]), 'the application');
  } catch (error) {
    throw error instanceof CliError ? error : failed(`${shown} cannot be started`, error);
  }
}

/** Prefers Fastify: `nest new` leaves Express in package.json. */
async function serverAdapter(dependencies: readonly string[], resolve: Resolve) {
  const [express, fastify] = ['@nestjs/platform-express', '@nestjs/platform-fastify'] as const;
  const names = dependencies.includes(fastify) ? [fastify, express] : [express, fastify];
  for (const name of names) {
    const file = resolve(name);
    if (file !== undefined) {
      const { FastifyAdapter, ExpressAdapter } = await importPackage<Record<string, new () => never>>(file);
      const Adapter = (FastifyAdapter ?? ExpressAdapter) as new () => never;
      return new Adapter();
    }
  }
  throw new CliError(`The application has neither ${express} nor ${fastify}.`);
}

/** Prints nothing. TypeORM, Mongoose and others log a refused connection, and try again for half a minute. */
class ConnectionWatch implements LoggerService {
  /** Rejects at the first refusal, and never resolves. */
  readonly refused: Promise<never>;
  private refuse: (error: Error) => void = () => undefined;

  constructor() {
    this.refused = new Promise((_, reject) => {
      this.refuse = reject;
    });
    this.refused.catch(() => undefined);
  }

  error(message: unknown, stack?: unknown): void {
    if (typeof message === 'string' && message.startsWith('Unable to connect to the database')) {
      const [reason = ''] = typeof stack === 'string' ? stack.split('\n') : [];
      // Errors with a name of their own are about entities, options or a driver that is not installed.
      const what = /^(?:Aggregate)?Error\b/i.test(reason)
        ? 'The database cannot be reached'
        : 'The data source cannot be created';
      this.refuse(new CliError(`${what}: ${reason}`, 1));
    }
  }

  log(): void {}
  warn(): void {}
}

function checkModules(app: INestApplication, core: NestCore, { module: { shown } }: FoundApplication): void {
  const providers = [...app.get(core.ModulesContainer).values()].flatMap(({ providers: own }) => [
    ...own.keys(),
  ]);
  if (!providers.includes(RouteAccessReport)) {
    const isOther = providers.some(
      (token) => typeof token === 'function' && token.name === RouteAccessReport.name,
    );
    throw new CliError(
      isOther
        ? `${shown} has loaded kit-auth twice: as ES modules and as CommonJS. Do not bundle kit-auth, and start ` +
            'Node without --conditions.'
        : `${shown} does not import KitAuthModule.forRoot(). Name the root module of the application: ` +
            '--module=<file#Export>',
    );
  }
}

function failed(what: string, error: unknown, hint = ''): CliError {
  return new CliError(`${what}: ${reasonOf(error)}${hint}`, 1, { cause: error });
}
