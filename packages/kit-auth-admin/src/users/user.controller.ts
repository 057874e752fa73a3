import { type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import { type LocationSetter, SetLocation } from '../input/location.decorator.js';
import type { Page } from '../input/query.js';
import { userIdFrom } from './managed-user.js';
import { UserQueries } from './user.queries.js';
import { UserService } from './user.service.js';
import { usersApi, type UserView } from './users.api.js';

type UsersCall<K extends keyof typeof usersApi> = Call<typeof usersApi, K>;

@KitAuthController()
export class KitAuthUserController {
  constructor(
    private readonly queries: UserQueries,
    private readonly users: UserService,
  ) {}

  @Endpoint(usersApi, 'GET users')
  find({ query }: UsersCall<'GET users'>): Promise<Page<UserView>> {
    return this.queries.find(query);
  }

  @Endpoint(usersApi, 'POST users')
  async create(
    { body }: UsersCall<'POST users'>,
    @SetLocation() setLocation: LocationSetter,
  ): Promise<UserView> {
    const user = await this.users.create(body);
    setLocation(user.userId);
    return user;
  }

  @Endpoint(usersApi, 'GET users/{id}')
  async get({ params }: UsersCall<'GET users/{id}'>): Promise<UserView> {
    return this.queries.get(userIdFrom(params.id));
  }

  @Endpoint(usersApi, 'PATCH users/{id}')
  async change({ params, body }: UsersCall<'PATCH users/{id}'>): Promise<UserView> {
    return this.users.change(userIdFrom(params.id), body);
  }

  @Endpoint(usersApi, 'PUT users/{id}/roles')
  async changeRoles({ params, body }: UsersCall<'PUT users/{id}/roles'>): Promise<UserView> {
    return this.users.changeRoles(userIdFrom(params.id), body.roles);
  }

  @Endpoint(usersApi, 'POST users/{id}/password')
  async resetPassword({ params, body }: UsersCall<'POST users/{id}/password'>): Promise<void> {
    await this.users.resetPassword(userIdFrom(params.id), body.newPassword);
  }

  @Endpoint(usersApi, 'POST users/{id}/unlock')
  async unlock({ params }: UsersCall<'POST users/{id}/unlock'>): Promise<void> {
    await this.users.unlock(userIdFrom(params.id));
  }

  @Endpoint(usersApi, 'DELETE users/{id}')
  async remove({ params }: UsersCall<'DELETE users/{id}'>): Promise<void> {
    await this.users.remove(userIdFrom(params.id));
  }
}
