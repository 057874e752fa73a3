import { Controller, Get, Injectable, Post } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { AuthException, KitAuthContext, RequireFresh, RequirePermissions } from 'kit-auth';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { KitAuthIssuersModule } from 'kit-auth-issuers';
import { AsCarriedUser, KitAuthJobsModule, UserCarrier } from 'kit-auth-jobs';
import { KitAuthKeysModule } from 'kit-auth-keys';
import type { AuthUser } from 'kit-auth/typeorm';
import type { ClientProxy } from '@nestjs/microservices';
import { ActiveLogins, ActiveProvider } from 'kit-auth/login';
import { ActiveUserStore } from 'kit-auth/feature';
import { firstValueFrom } from 'rxjs';
import { type Answer, bodyOf, type TestAppOptions, totpCode, until } from 'test-support';
import { KEY } from '../factors/app.js';
import { fakeIssuer } from '../issuers/app.js';
import { JOBS } from '../jobs/app.js';
import { clientOf, TCP } from '../messages/services.js';
import { SocketsApp } from '../sockets/app.js';
import type { Outcome } from './credentials.table.js';

/** Answers with the actor. */
@Injectable()
class Seeing {
  constructor(
    protected readonly context: KitAuthContext,
    protected readonly carrier: UserCarrier,
  ) {}

  protected seen() {
    return { actor: this.context.proof()?.actor?.username ?? null };
  }
}

@Controller('v1/table')
class TableController extends Seeing {
  @Get()
  @RequirePermissions('note:read')
  read() {
    return this.seen();
  }

  @Get('fresh')
  @RequirePermissions('note:read')
  @RequireFresh('1m')
  fresh() {
    return this.seen();
  }

  @Get('plain')
  plain() {
    return this.seen();
  }

  @Post('carry')
  carry() {
    return this.carrier.data('reports', { note: 1 });
  }
}

@WebSocketGateway({ path: '/table' })
@RequirePermissions('note:read')
class TableGateway extends Seeing {
  @SubscribeMessage('read')
  read() {
    return { event: 'read', data: this.seen() };
  }

  @SubscribeMessage('fresh')
  @RequireFresh('1m')
  fresh() {
    return { event: 'fresh', data: this.seen() };
  }
}

@WebSocketGateway({ path: '/plain' })
class PlainGateway extends Seeing {
  @SubscribeMessage('read')
  read() {
    return { event: 'read', data: this.seen() };
  }
}

@Controller()
class TableMessages extends Seeing {
  @MessagePattern('table')
  @AsCarriedUser('reports')
  @RequirePermissions('note:read')
  read() {
    return this.seen();
  }

  @MessagePattern('fresh')
  @AsCarriedUser('reports')
  @RequirePermissions('note:read')
  @RequireFresh('1m')
  fresh() {
    return this.seen();
  }

  @MessagePattern('plain')
  @AsCarriedUser('reports')
  plain() {
    return this.seen();
  }
}

@Injectable()
class TableProcessor extends Seeing {
  @AsCarriedUser('reports')
  async process({ data }: { data: object }) {
    return { ...data, ...this.seen() };
  }
}

/** A route with this rule: its path, a gateway with a message, and a message of a microservice. */
export interface Target {
  readonly path: string;
  readonly gateway?: readonly [path: string, event: string];
  readonly pattern?: string;
  readonly isForJobs?: boolean;
}

/** An application that accepts every kind of credential. */
export class CredentialsApp extends SocketsApp {
  readonly issuer;
  private client: ClientProxy | undefined;

  constructor({ imports = [], ...options }: TestAppOptions) {
    const { fake, options: issuer } = fakeIssuer({
      user: ({ sub }) => Number(sub),
      mfa: ['mfa'],
      cacheSeconds: 0,
    });
    super({
      ...options,
      admin: true,
      options: { jwt: { checkStamp: true } },
      imports: [
        ...imports,
        KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'Example', requiredFor: ['clerk'] }),
        KitAuthKeysModule,
        KitAuthIssuersModule.forRoot({ issuers: [issuer] }),
        KitAuthJobsModule.forRoot(JOBS),
      ],
      controllers: [TableController, TableMessages],
      providers: [TableGateway, PlainGateway, TableProcessor],
    });
    this.issuer = fake;
  }

  override async start(): Promise<this> {
    await this.create();
    const service = this.nest.connectMicroservice(TCP);
    await this.nest.startAllMicroservices();
    await this.nest.listen(0, '127.0.0.1');
    this.client = await clientOf(service);
    await this.role({ code: 'reader', permissions: ['note:read'] });
    await this.role({ code: 'clerk' });
    return this;
  }

  override async close(): Promise<void> {
    await this.client?.close();
    await super.close();
  }

  /** Shows the password. */
  async logIn({ username }: AuthUser): Promise<Login> {
    return bodyOf(await this.login(username));
  }

  /** Shows the password, and a new second factor. */
  async logInWithFactor(user: AuthUser): Promise<Login> {
    const { token } = await this.logIn(user);
    const { id, secret } = bodyOf(await this.call(token, 'POST', 'factors/totp', { name: 'Phone' }), 201);
    const code = totpCode(secret as string);
    return bodyOf(await this.call(token, 'POST', `factors/totp/${id}/confirm`, { code }));
  }

  /** Opens a login in which another user acts as this one. */
  async actAs(user: AuthUser, actor: AuthUser): Promise<Login> {
    const factors = { password: Math.floor(Date.now() / 1000) };
    const proof = { factors, actor: { userId: actor.id, username: actor.username } };
    const login = { user: (await this.get(ActiveUserStore).loadLoginUser(user.id))!, proof };
    const opened = await this.get(ActiveLogins).open(login, undefined);
    const token = await this.get(ActiveProvider).get().issueToken(login.user, opened.proof);
    return { token, ...opened.answer };
  }

  async refreshed({ refreshToken }: Login): Promise<Login> {
    return bodyOf(await this.call(undefined, 'POST', 'token/refresh', { refreshToken }));
  }

  newKey({ token }: Login): Promise<Answer> {
    return this.call(token, 'POST', 'keys', { name: 'Script', abilities: ['note:read'] });
  }

  /** The data of a job or message with the user of a login. */
  async carry({ token }: Login): Promise<object> {
    return bodyOf(await this.request('/v1/table/carry', { method: 'POST', token }), 201);
  }

  async overHttp(token: string, { path }: Target): Promise<Outcome> {
    const { status, json } = await this.request(path, { token });
    return outcomeOf(status === 200 ? json : { code: status, ...json });
  }

  async overSocket(token: string, { gateway }: Target): Promise<Outcome> {
    if (gateway === undefined) {
      return '—';
    }
    const [path, event] = gateway;
    const socket = this.connect(token, path);
    await until(() => (socket.isOpen || socket.end !== undefined ? true : undefined));
    socket.send(event);
    const answer = await until(() => socket.end ?? socket.messages.shift());
    return typeof answer === 'string' ? answer : outcomeOf(answer.data);
  }

  async inMessage(data: object, { pattern }: Target): Promise<Outcome> {
    return pattern === undefined
      ? '—'
      : firstValueFrom(this.client!.send<unknown>(pattern, data)).then(outcomeOf, outcomeOf);
  }

  async inJob(data: object, { isForJobs }: Target): Promise<Outcome> {
    if (isForJobs !== true) {
      return '—';
    }
    try {
      return outcomeOf(await this.get(TableProcessor).process({ data: { ...data } }));
    } catch (error) {
      const { name, cause } = error as Error;
      // BullMQ retries all other errors.
      return name === 'UnrecoverableError' && cause instanceof AuthException
        ? outcomeOf(cause)
        : String(error);
    }
  }
}

/** The answer to a login. */
export interface Login {
  readonly token: string;
  readonly refreshToken?: string;
}

function outcomeOf(answer: unknown): Outcome {
  const { code, reason, actor } = (answer ?? {}) as Partial<Record<'code' | 'reason' | 'actor', unknown>>;
  if (code !== undefined) {
    return [code, reason].filter((part) => part !== undefined).join(' ');
  }
  return typeof actor === 'string' ? 'admitted with the actor' : 'admitted';
}
