import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AuthErrorCode, AuthException, type LoginUser, type SessionEndReason } from 'kit-auth';
import {
  ActiveLogins,
  ActiveProvider,
  type EndedSessions,
  LoginThrottle,
  NewPasswords,
  SessionEnds,
} from 'kit-auth/extend';
import { type AuthRole, AuthUser, AuthUserStatus, newSecurityStamp, writePassword } from 'kit-auth/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import {
  Administration,
  isActiveAdministrator,
  requireAnotherAdministrator,
  userOf,
} from '../administration.js';
import { requireKept } from '../input/kept-texts.js';
import { badRequest, conflict } from '../input/refusals.js';
import { requireReach } from '../reach.js';
import { RoleGraph } from '../roles/role.graph.js';
import type { ChangeUser, CreateUser } from './user.inputs.js';
import { type UserView, viewOf } from './user.view.js';

const WRITE = 'auth:user:write';

/** What administrators do with users. */
@Injectable()
export class UserService {
  constructor(
    @InjectRepository(AuthUser) private readonly users: Repository<AuthUser>,
    private readonly administration: Administration,
    private readonly passwords: NewPasswords,
    private readonly provider: ActiveProvider,
    private readonly logins: ActiveLogins,
    private readonly ends: SessionEnds,
    private readonly throttle: LoginThrottle,
  ) {}

  async get(id: number): Promise<UserView> {
    const user = await userOf(this.users.manager, id);
    return viewOf(user, await this.throttle.lockedUntil(user.username));
  }

  async create(input: CreateUser): Promise<UserView> {
    const action = this.administration.begin(WRITE);
    const { username, password, nickname = username, status = AuthUserStatus.ENABLED } = input;
    const passwordHash = await this.passwords.hash(password, username);
    try {
      const id = await action.change(async ({ transaction: manager, actor, note }) => {
        const roles = await this.grantable(manager, actor, input.roles ?? []);
        if (await manager.existsBy(AuthUser, { username })) {
          throw taken();
        }
        const securityStamp = newSecurityStamp();
        const user = manager.create(AuthUser, {
          username,
          nickname,
          passwordHash,
          status,
          roles,
          securityStamp,
        });
        await manager.save(user);
        await requireKept(manager, AuthUser, user.id, { username, nickname: input.nickname });
        await note({ type: 'user-created', subjectId: user.id, subject: username, detail: codesOf(roles) });
        return user.id;
      });
      return await this.get(id);
    } catch (error) {
      // Somebody wrote to the table past this package.
      const isTaken = !(error instanceof AuthException) && (await this.users.existsBy({ username }));
      throw isTaken ? taken() : error;
    }
  }

  async change(id: number, { nickname, status }: ChangeUser): Promise<UserView> {
    await this.administration.begin(WRITE).changeAndEnd(async ({ transaction: manager, actor, note }) => {
      const user = await this.manageable(manager, actor, id);
      const about = { subjectId: id, subject: user.username };
      const isNewStatus = status !== undefined && status !== user.status;
      if (isNewStatus && isActiveAdministrator(user)) {
        await requireAnotherAdministrator(manager, user);
      }
      if (nickname !== undefined && nickname !== user.nickname) {
        await manager.update(AuthUser, { id }, { nickname });
        await requireKept(manager, AuthUser, id, { nickname });
        await note({ type: 'user-changed', ...about, detail: 'nickname' });
      }
      if (isNewStatus) {
        await manager.update(AuthUser, { id }, { status, securityStamp: newSecurityStamp() });
        await note({ type: 'user-status-changed', ...about, detail: status });
      }
      // Or they would come back to life with the user.
      return status === AuthUserStatus.DISABLED ? this.sessionsOf(user, 'disabled') : undefined;
    });
    this.provider.userChanged(id);
    return this.get(id);
  }

  async changeRoles(id: number, codes: readonly string[]): Promise<UserView> {
    await this.administration.begin(WRITE).change(async ({ transaction: manager, actor, note }) => {
      const user = await this.manageable(manager, actor, id);
      const roles = await this.grantable(manager, actor, codes);
      const removed = user.roles.filter((role) => !codes.includes(role.code));
      const added = roles.filter((role) => !user.roles.some(({ code }) => code === role.code));
      if (removed.length + added.length === 0) {
        return;
      }
      if (isActiveAdministrator(user) && !isActiveAdministrator({ status: user.status, roles })) {
        await requireAnotherAdministrator(manager, user);
      }
      await manager.createQueryBuilder().relation(AuthUser, 'roles').of(id).addAndRemove(added, removed);
      await manager.update(AuthUser, { id }, { securityStamp: newSecurityStamp() });
      await note({
        ...{ type: 'user-roles-changed', subjectId: id, subject: user.username },
        detail: codesOf(roles),
      });
    });
    this.provider.userChanged(id);
    return this.get(id);
  }

  /** The user has to choose another at the next login, and every session ends. */
  async resetPassword(id: number, newPassword: string): Promise<void> {
    const action = this.administration.begin(WRITE);
    const { username } = await action.look((actor) => this.manageable(this.users.manager, actor, id));
    if (id === action.userId) {
      throw conflict('Change your own password with POST /v1/api/auth/password');
    }
    const hash = await this.passwords.hash(newPassword, username);
    await action.endBefore(async ({ transaction: manager, actor }) =>
      this.sessionsOf(await this.manageable(manager, actor, id), 'password-changed'),
    );
    await action.changeAndEnd(async ({ transaction: manager, actor, note }) => {
      const user = await this.manageable(manager, actor, id);
      if (!(await writePassword(manager, id, { passwordHash: hash, mustChange: true }))) {
        throw new AuthException(AuthErrorCode.CONFLICT);
      }
      await note({ type: 'password-reset', subjectId: id, subject: username });
      return this.sessionsOf(user, 'password-changed');
    });
    this.provider.userChanged(id);
  }

  async unlock(id: number): Promise<void> {
    const action = this.administration.begin(WRITE);
    const unlocked = await action.change(async ({ transaction: manager, actor, note }) => {
      const { username } = await this.manageable(manager, actor, id);
      const event = { type: 'user-unlocked', subjectId: id, subject: username } as const;
      await note(event);
      return event;
    });
    // The throttle may count elsewhere: the record comes first.
    try {
      await this.throttle.unlock(unlocked.subject);
    } catch (error) {
      action.note({ ...unlocked, success: false, detail: 'the throttle failed' });
      throw error;
    }
  }

  async remove(id: number): Promise<void> {
    await this.administration.begin(WRITE).changeAndEnd(async ({ transaction: manager, actor, note }) => {
      const user = await this.manageable(manager, actor, id);
      if (isActiveAdministrator(user)) {
        await requireAnotherAdministrator(manager, user);
      }
      await manager.createQueryBuilder().relation(AuthUser, 'roles').of(id).remove(user.roles);
      await manager.delete(AuthUser, { id });
      await note({ type: 'user-deleted', subjectId: id, subject: user.username });
      return this.sessionsOf(user, 'kicked');
    });
    this.provider.userChanged(id);
  }

  /** @throws AuthException 40400, 40300, 50100 where the implementation cannot end sessions */
  endSessions(id: number): Promise<void> {
    return this.endOf(id, 'all', async () => {
      const sessions = this.logins.sessions();
      return () => sessions.endAllOf(id, { reason: 'kicked' });
    });
  }

  /** @throws AuthException as `endSessions`, and 40400 when the user has no such session */
  endSession(id: number, sessionId: string): Promise<void> {
    return this.endOf(id, sessionId, () => this.ends.one(id, sessionId, 'kicked'));
  }

  private endOf(id: number, detail: string, prepare: () => Promise<() => Promise<unknown>>): Promise<void> {
    return this.administration
      .begin('auth:session:end')
      .changeAndEnd(async ({ transaction: manager, actor, note }) => {
        const { username: subject } = await this.manageable(manager, actor, id);
        const end = await prepare();
        await note({ type: 'sessions-ended', subjectId: id, subject, detail });
        return { subjectId: id, subject, end };
      });
  }

  private sessionsOf({ id, username }: AuthUser, reason: SessionEndReason): EndedSessions {
    const end = () => this.logins.endAllOf(id, { reason });
    return { subjectId: id, subject: username, end };
  }

  private async manageable(manager: EntityManager, actor: LoginUser, id: number): Promise<AuthUser> {
    const user = await userOf(manager, id);
    requireReach(actor, (await RoleGraph.read(manager)).powerOf(user.roles.map(({ code }) => code)));
    return user;
  }

  /** Roles that the current user may give to somebody. @throws AuthException 40000 for unknown ones, 40300 */
  private async grantable(
    manager: EntityManager,
    actor: LoginUser,
    codes: readonly string[],
  ): Promise<AuthRole[]> {
    const graph = await RoleGraph.read(manager);
    const roles = codes.map((code) => graph.get(code)).filter((role) => role !== undefined);
    if (roles.length < codes.length) {
      throw badRequest('roles has a role that does not exist');
    }
    requireReach(actor, graph.powerOf(codes));
    return roles;
  }
}

function codesOf(roles: readonly AuthRole[]): string {
  return `roles: ${roles.map(({ code }) => code).join(', ') || 'none'}`;
}

function taken() {
  return conflict('The username is taken');
}
