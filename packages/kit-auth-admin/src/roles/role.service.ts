import { Injectable } from '@nestjs/common';
import { ActiveProvider } from 'kit-auth/extend';
import type { RoleView, RunRoleChange } from 'kit-auth/typeorm';
import { Administration } from '../administration/administration.js';
import { DefaultUserStore } from '../administration/default-user-store.js';
import type { ChangeRole, CreateRole } from './role.inputs.js';

const WRITE = 'auth:role:write';

/** Lists, creates, changes and deletes roles, for the current user. */
@Injectable()
export class RoleService {
  constructor(
    private readonly store: DefaultUserStore,
    private readonly administration: Administration,
    private readonly provider: ActiveProvider,
  ) {}

  list(): Promise<RoleView[]> {
    return this.store.roles.list();
  }

  create(input: CreateRole): Promise<RoleView> {
    return this.store.roles.create(input, this.begin());
  }

  async change(code: string, input: ChangeRole): Promise<RoleView> {
    const view = await this.store.roles.change(code, input, this.begin());
    this.provider.userChanged();
    return view;
  }

  remove(code: string): Promise<void> {
    return this.store.roles.remove(code, this.begin());
  }

  private begin(): RunRoleChange {
    const action = this.administration.begin(WRITE);
    return (work) => action.change(work);
  }
}
