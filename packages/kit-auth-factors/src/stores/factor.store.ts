import { Inject, Injectable, type OnApplicationBootstrap, Optional } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { PackageDatabase } from 'kit-auth/typeorm';
import type { DataSource } from 'typeorm';
import { FACTOR_TABLES } from './factor.migrations.js';

/** The second factors of the users, in the tables `auth_totp` and `auth_recovery_code`. */
@Injectable()
export class FactorStore implements OnApplicationBootstrap {
  private readonly database: PackageDatabase;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
    @Optional() @InjectDataSource() dataSource: DataSource | undefined,
  ) {
    this.database = new PackageDatabase('second factors', FACTOR_TABLES, dataSource);
  }

  /** @throws IllegalStateException when the data source or a table is missing */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.enabled) {
      await this.database.open();
    }
  }
}
