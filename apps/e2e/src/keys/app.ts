import { Controller, Get, Post } from '@nestjs/common';
import { type AuthEvent, KitAuthContext, RequirePermissions } from 'kit-auth';
import { KitAuthKeysModule, type KitAuthKeysOptions } from 'kit-auth-keys';
import { AuthApiKey } from 'kit-auth-keys/typeorm';
import { type Answer, bodyOf, ListeningApp, type TestAppOptions } from 'test-support';

export const DAY_MS = 24 * 60 * 60_000;
/** `kapk_`, an id in base 36, 256 bits in base64url, a CRC-32 in base 36. */
export const KEY_FORM = /^kapk_([0-9a-z]{1,16})_([\w-]{43})_[0-9a-z]{7}$/;

export interface KeysAppOptions extends TestAppOptions {
  keys?: KitAuthKeysOptions;
}

/** A key as its owner has it. */
export interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

@Controller('v1/notes')
class NotesController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  @RequirePermissions('note:read')
  list() {
    const { scheme, proof, user } = this.context.principal()!;
    return { scheme, factors: Object.keys(proof.factors), ...user };
  }

  @Post()
  @RequirePermissions('note:write')
  create() {
    return {};
  }

  @Get('own')
  own() {
    return {};
  }
}

/** An application with API keys. */
export class KeysApp extends ListeningApp {
  constructor({ keys, ...options }: KeysAppOptions = {}) {
    super(
      { admin: true, ...options },
      { imports: [KitAuthKeysModule.forRoot(keys)], controllers: [NotesController] },
    );
  }

  postKey(token: string | undefined, body: object = {}): Promise<Answer> {
    return this.call(token, 'POST', 'keys', { name: 'Script', abilities: ['note:read'], ...body });
  }

  /** Creates a key, and fails the test where that is refused. */
  async newKey(token: string, body: object = {}): Promise<CreatedKey> {
    const { id, key } = bodyOf(await this.postKey(token, body), 201);
    return { id, key };
  }

  use(key: string, target = '/v1/notes'): Promise<string> {
    return this.stateOf(key, target);
  }

  async idsOf(token: string): Promise<string[]> {
    const { json } = await this.call(token, 'GET', 'keys');
    return (json as { id: string }[]).map(({ id }) => id);
  }

  rowOf({ id }: Pick<CreatedKey, 'id'>): Promise<AuthApiKey> {
    return this.rowsOf(AuthApiKey).findOneByOrFail({ id });
  }

  /** Of a user, who may be the actor. */
  override heard(type: string, { id }: { id?: unknown } = {}): AuthEvent[] {
    return super.heard(type).filter(({ subjectId, actorId }) => subjectId === id || actorId === id);
  }
}

/** The random part of a key, which may have the separator in it. */
export function secretOf({ key }: Pick<CreatedKey, 'key'>): string {
  return KEY_FORM.exec(key)![2]!;
}
