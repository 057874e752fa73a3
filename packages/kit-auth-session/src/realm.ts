import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import type { DoctorCheck, DoctorFinding } from 'kit-auth/feature';
import { UserDatabase } from 'kit-auth/login';
import { type ResolvedSessionOptions, sessionOptions } from './session.options.js';
import { SESSION_STORE, type SessionStore } from './stores/session-store.js';

const MISSING: DoctorFinding = {
  level: 'warning',
  problem:
    'kit.auth.session.realm is missing: another stage or application on the same server accepts these sessions, for its ' +
    'user with the same id.',
  cure:
    'Set it, or KIT_AUTH_SESSION_REALM, to a name of the database of your users that differs in each stage, such as ' +
    'shop-production. With the default user store, add kitAuthEntities of kit-auth/typeorm to the entities instead.',
};

/** The database of users to which sessions belong. */
@Injectable()
export class Realm implements DoctorCheck {
  readonly name = 'sessions';
  private readonly logger = new Logger('KitAuthSession');

  constructor(
    @Inject(sessionOptions.token) private readonly options: ResolvedSessionOptions,
    @Inject(SESSION_STORE) private readonly store: SessionStore,
    @Optional() private readonly users?: UserDatabase,
  ) {}

  /** Asks no database if the store needs no realm. Warns if it needs one and there is none. */
  async find(): Promise<string | undefined> {
    const realm = await this.known();
    if (realm === undefined && this.store.needsRealm === true) {
      this.logger.warn(`[auth] ${MISSING.problem} ${MISSING.cure}`);
    }
    return realm;
  }

  async run(): Promise<readonly DoctorFinding[]> {
    const isMissing = this.store.needsRealm === true && (await this.known()) === undefined;
    return isMissing ? [MISSING] : [];
  }

  private async known(): Promise<string | undefined> {
    return this.store.needsRealm === true
      ? (this.options.settings.realm ?? (await this.users?.realm()))
      : undefined;
  }
}
