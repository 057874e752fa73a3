import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type INestApplication, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { AppModule } from './app.module.js';
import { setupDocs } from './docs.js';
import { greeting } from './greeting.js';
import { readSettings, type Settings } from './settings/settings.js';
import { startUpProblem } from './settings/start-up-problem.js';

const HOME = fileURLToPath(new URL('..', import.meta.url));

async function start(settings: Settings): Promise<void> {
  const adapter = settings.platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
  const app: INestApplication = await NestFactory.create(
    AppModule.with(settings),
    adapter as ExpressAdapter,
    {
      abortOnError: false,
      // Held back until it listens: a start that fails says why in one line.
      bufferLogs: true,
      autoFlushLogs: false,
    },
  );
  app.enableShutdownHooks();
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  setupDocs(app);
  await app.listen(settings.port, settings.host);
  app.flushLogs();
  const passwordIsOverridden = process.env['KIT_AUTH_DEFAULT_ADMIN_PASSWORD'] !== undefined;
  console.log(
    greeting(await app.getUrl(), app.get<KitAuthSettings>(KIT_AUTH_SETTINGS), passwordIsOverridden),
  );
}

/** The shell that npm starts us in keeps a signal to itself: when it is gone, we go as well. */
function endWithNpm(): void {
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) {
      process.kill(process.pid, 'SIGTERM');
    }
  }, 500).unref();
}

try {
  if (process.env['npm_lifecycle_event'] !== undefined) {
    endWithNpm();
  }
  if (existsSync(`${HOME}.env`)) {
    process.loadEnvFile(`${HOME}.env`);
  }
  await start(readSettings(process.env, `sqlite:${HOME}data/demo.sqlite`));
} catch (error) {
  console.error(`The demo could not start: ${startUpProblem(error)}`);
  process.exit(1);
}
