import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { AuthRole } from 'kit-auth/typeorm';
import type { DataSource } from 'typeorm';

export const READ = 'note:read';
export const WRITE = 'note:write';
export const MODERATE = 'note:moderate';
/** The role of every user who registers. */
export const MEMBER = 'member';
export const EDITOR = 'editor';

const ROLES = [
  { code: MEMBER, name: 'Member', permissions: [READ, WRITE] },
  { code: EDITOR, name: 'Editor', permissions: [MODERATE] },
];

/** Creates the roles at the first start, before registration needs them. Keeps later changes by administrators. */
@Injectable()
export class NoteRoles implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  async onModuleInit(): Promise<void> {
    if (this.settings.enabled) {
      await this.dataSource
        .createQueryBuilder()
        .insert()
        .into(AuthRole)
        .values(ROLES)
        .orIgnore()
        .updateEntity(false)
        .execute();
    }
  }
}
