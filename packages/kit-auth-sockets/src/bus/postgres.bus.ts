import { Inject, Injectable } from '@nestjs/common';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { postgresBusOptions, type ResolvedPostgresBusOptions } from './postgres-bus.options.js';
import { PostgresWire } from './postgres.wire.js';
import { ServerBus } from './server.bus.js';
import type { Wire } from './wire.js';

/** Listens and notifies in PostgreSQL. */
@Injectable()
export class PostgresBus extends ServerBus {
  constructor(
    @Inject(postgresBusOptions.token) private readonly options: ResolvedPostgresBusOptions,
    @Inject(KIT_AUTH_SETTINGS) { enabled }: KitAuthSettings,
  ) {
    super('PostgreSQL', options.settings.channelPrefix, enabled && options.problems.length === 0);
  }

  protected override async prepare(): Promise<() => Wire> {
    const { url, config } = this.options.settings;
    const { Client } = await postgresPackage();
    return () => new PostgresWire(Client, url === undefined ? { ...config } : { connectionString: url });
  }
}

async function postgresPackage() {
  try {
    return (await import('pg')).default;
  } catch (cause) {
    throw new IllegalStateException('kit.auth.postgresBus needs the package pg: npm install pg.', { cause });
  }
}
