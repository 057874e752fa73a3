import { ActiveProvider } from 'kit-auth/login';
import { type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import type { RoleView, RunRoleChange } from 'kit-auth/typeorm';
import { Administration } from '../administration/administration.js';
import { DefaultUserStore } from '../administration/default-user-store.js';
import { type LocationSetter, SetLocation } from '../input/location.decorator.js';
import { rolesApi } from './roles.api.js';

type RolesCall<K extends keyof typeof rolesApi> = Call<typeof rolesApi, K>;

@KitAuthController()
export class KitAuthRoleController {
  constructor(
    private readonly store: DefaultUserStore,
    private readonly administration: Administration,
    private readonly provider: ActiveProvider,
  ) {}

  @Endpoint(rolesApi, 'GET roles')
  list(): Promise<RoleView[]> {
    return this.store.roles.list();
  }

  @Endpoint(rolesApi, 'POST roles')
  async create(
    { body }: RolesCall<'POST roles'>,
    @SetLocation() setLocation: LocationSetter,
  ): Promise<RoleView> {
    const role = await this.store.roles.create(body, this.begin());
    setLocation(role.code);
    return role;
  }

  @Endpoint(rolesApi, 'PATCH roles/{code}')
  async change({ params, body }: RolesCall<'PATCH roles/{code}'>): Promise<RoleView> {
    const role = await this.store.roles.change(params.code, body, this.begin());
    this.provider.userChanged();
    return role;
  }

  @Endpoint(rolesApi, 'DELETE roles/{code}')
  remove({ params }: RolesCall<'DELETE roles/{code}'>): Promise<void> {
    return this.store.roles.remove(params.code, this.begin());
  }

  private begin(): RunRoleChange {
    const action = this.administration.begin('auth:role:write');
    return (work) => action.change(work);
  }
}
