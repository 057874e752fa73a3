import { type INestApplication, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { WsAdapter } from '@nestjs/platform-ws';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { DataSource } from 'typeorm';
import { administratorPassword } from './administrator.js';
import { AppModule } from './app.module.js';
import { setupDocs } from './docs.js';
import { greeting } from './greeting.js';
import { pageUrl, portFor } from './mail/page-url.js';
import { startProvider } from './provider/provider.process.js';
import type { Settings } from './settings/settings.js';

export interface StartedDemo {
  app: INestApplication;
  greeting: string;
}

/** Starts the application. Rejects when it cannot start. */
export async function start(settings: Settings): Promise<StartedDemo> {
  const adapter = settings.platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
  const port = await portFor(settings);
  const url = pageUrl(settings, port);
  const provider = await startProvider(settings, url, port);
  const app: INestApplication = await NestFactory.create(
    AppModule.with(settings, url, provider),
    adapter as ExpressAdapter,
    {
      abortOnError: false,
      // Held back until it listens: a start that fails says why in one line.
      bufferLogs: true,
      autoFlushLogs: false,
    },
  );
  app.useWebSocketAdapter(new WsAdapter(app));
  app.enableShutdownHooks();
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }));
  setupDocs(app);
  await app.listen(port, settings.host);
  app.flushLogs();
  const authSettings = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS);
  const password = await administratorPassword(app.get(DataSource), authSettings);
  const places = { url: await app.getUrl(), pageUrl: url, providerUrl: provider?.issuer };
  return { app, greeting: greeting(places, authSettings, password, settings.mail) };
}
