import { Inject, Injectable, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { PackageDatabase } from 'kit-auth/typeorm';
import type { DataSource } from 'typeorm';
import { KEY_TABLES } from './key.migrations.js';

/** The API keys of the users, in the table `auth_api_key`. */
@Injectable()
export class KeyStore implements OnApplicationBootstrap {
  private readonly database: PackageDatabase;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
    @Optional() @InjectDataSource() dataSource: DataSource | undefined,
  ) {
    this.database = new PackageDatabase('API keys', KEY_TABLES, dataSource);
  }

  /** @throws IllegalStateException when the data source or the table is missing */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.enabled) {
      await this.database.open();
    }
  }
}
