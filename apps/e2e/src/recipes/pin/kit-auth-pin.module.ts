import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { type AuthCommand, type AuthCommandContext, type AuthEvent, AuthEvents } from 'kit-auth';
import type { AuthEventSink, Factor, FactorOutcome, LoginUser, ShownAnswer, UserId } from 'kit-auth';
import {
  authFeature,
  badRequest,
  type Call,
  defineOptions,
  Endpoint,
  endpoints,
  KitAuthController,
  Option,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
  TEXT,
} from 'kit-auth/feature';
import { type LoginAnswer, LoginWays, OWN_CHANGES, OwnChanges, PasswordHashing } from 'kit-auth/login';
import { SecondFactorModule } from 'kit-auth/store';
import { PackageDatabase, TablesMigration } from 'kit-auth/typeorm';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';

const pinOptions = defineOptions('kit.auth.pin', {
  /** Digits of a PIN. @default 6 */
  digits: Option.integer({ min: 4, max: 12, default: 6 }),
});
export type PinOptions = OptionsOf<typeof pinOptions>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    pin?: PinOptions | undefined;
  }
  interface AuthEventTypes {
    'pin-set': true;
    'pin-removed': true;
  }
}

@Entity('auth_pin')
export class AuthPin {
  @PrimaryColumn({ type: 'varchar', length: 64 })
  userId!: string;
  @Column({ type: 'varchar', length: 255 })
  hash!: string;
}
TypeOrmModule.forFeature([AuthPin]); // for data sources with autoLoadEntities
const TABLES = { entry: 'kit-auth-pin', entities: [AuthPin] };

export class AuthPin1796000500000 extends TablesMigration {
  override readonly name = 'AuthPin1796000500000';
  protected override readonly tables = TABLES;
}

@Injectable()
export class PinStore implements OnApplicationBootstrap {
  private readonly database: PackageDatabase;

  constructor(@InjectDataSource() dataSource: DataSource) {
    this.database = new PackageDatabase('PINs', TABLES, dataSource);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.database.open(); // fails without the table, and says what to do
  }

  async hashOf(userId: UserId): Promise<string | undefined> {
    const which = { userId: String(userId) };
    return (await this.database.read((rows) => rows.findOneBy(AuthPin, which)))?.hash;
  }

  async set(userId: UserId, hash: string, transaction: unknown): Promise<void> {
    await this.database.write((rows) => rows.save(AuthPin, { userId: String(userId), hash }), transaction);
  }

  async remove(userId: UserId, transaction: unknown): Promise<void> {
    await this.database.write((rows) => rows.delete(AuthPin, { userId: String(userId) }), transaction);
  }
}

const pinApi = endpoints({
  'PUT pin': {
    id: 'setPin',
    summary: 'Sets the PIN of the current user, and returns a new token',
    fresh: OWN_CHANGES,
    body: { pin: TEXT },
    login: true,
  },
});

@KitAuthController()
class PinController {
  constructor(
    @Inject(pinOptions.token) private readonly options: ResolvedOptions<SettingsOf<typeof pinOptions>>,
    private readonly own: OwnChanges,
    private readonly hashing: PasswordHashing,
    private readonly pins: PinStore,
  ) {}

  @Endpoint(pinApi, 'PUT pin')
  async set({ body: { pin } }: Call<typeof pinApi, 'PUT pin'>): Promise<LoginAnswer> {
    const changing = this.own.begin(); // before the first await
    const { digits } = this.options.settings;
    if (!/^\d+$/.test(pin) || pin.length !== digits) {
      throw badRequest(`"pin" must be ${digits} digits`);
    }
    const { user, stamp } = await changing.current();
    const hash = await this.hashing.hash(pin);
    return changing.addFactor({ user, stamp, factor: 'pin', endOthers: false }, async (change) => {
      await this.pins.set(user.userId, hash, change.transaction);
      await change.note({ type: 'pin-set', subjectId: user.userId, subject: user.username });
    });
  }
}

@Injectable()
class PinFactor implements Factor, AuthEventSink {
  readonly names = ['pin'];
  readonly confirms = ['pin'];

  constructor(
    private readonly pins: PinStore,
    private readonly hashing: PasswordHashing,
  ) {}

  async has({ userId }: LoginUser): Promise<readonly string[]> {
    return (await this.pins.hashOf(userId)) === undefined ? [] : this.names;
  }

  async verify({ user, answer }: ShownAnswer): Promise<FactorOutcome> {
    const hash = await this.pins.hashOf(user.userId);
    return (await this.hashing.verify(String(answer), hash)) ? 'right' : 'wrong';
  }

  async keep({ type, subjectId, endsFactors }: AuthEvent, transaction: unknown): Promise<void> {
    if (subjectId !== null && (endsFactors || type === 'user-deleted' || type === 'pin-removed')) {
      await this.pins.remove(subjectId, transaction);
    }
  }
}

@Injectable()
export class PinRemoveCommand implements AuthCommand {
  readonly name = 'pin remove';
  readonly usage = '<username>';
  readonly summary = 'Removes the PIN of a user, and ends their sessions.';

  constructor(
    private readonly ways: LoginWays,
    private readonly events: AuthEvents,
  ) {}

  async run({ args: [username = ''], user, output }: AuthCommandContext): Promise<undefined> {
    const { id: userId } = await user(username);
    await this.ways.revoking(this.events.begin(), { userId, username }, 'the PIN', (change) =>
      change.note({ type: 'pin-removed', subjectId: userId, subject: username, endedSessions: 'all' }),
    );
    output.line(`Removed the PIN of ${username}.`);
  }
}

/** PINs as second factors. */
export class KitAuthPinModule extends authFeature<PinOptions>('kit-auth-pin', {
  options: pinOptions,
  needs: { proof: true, store: ['stampOf'] },
  endpoints: pinApi,
  controllers: [PinController],
  imports: [SecondFactorModule],
  factors: [PinFactor],
  sinks: [PinFactor],
  commands: [PinRemoveCommand],
  providers: [PinStore],
}) {}
