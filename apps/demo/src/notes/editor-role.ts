import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { AuthRole } from 'kit-auth/typeorm';
import type { DataSource } from 'typeorm';

export const MODERATE = 'note:moderate';

/** Makes the role `editor` at the first start; what administrators make of it later stays. */
@Injectable()
export class EditorRole implements OnApplicationBootstrap {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.enabled) {
      await this.dataSource
        .createQueryBuilder()
        .insert()
        .into(AuthRole)
        .values({ code: 'editor', name: 'Editor', permissions: [MODERATE] })
        .orIgnore()
        .updateEntity(false)
        .execute();
    }
  }
}
