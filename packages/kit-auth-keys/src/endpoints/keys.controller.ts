import { Delete, Get, Header, HttpCode, HttpStatus, Inject, Param, Post, Req } from '@nestjs/common';
import { AuthEvents, KitAuthContext, type Principal, RequireFresh } from 'kit-auth';
import { type JsonRequest, KitAuthController, OWN_CHANGES } from 'kit-auth/extend';
import { keysOptions, type ResolvedKeysOptions } from '../config/keys.options.js';
import { ApiKeys, type IssuedKey } from '../keys/api-keys.js';
import { KeyCreation } from '../keys/key-creation.js';
import type { KeyInfo } from '../stores/stored-key.js';
import { readKeyRequest } from './read-key-request.js';

/** The keys of the current user. API keys cannot call these endpoints. */
@KitAuthController('keys')
export class KitAuthKeysController {
  constructor(
    @Inject(keysOptions.token) private readonly options: ResolvedKeysOptions,
    private readonly keys: ApiKeys,
    private readonly creation: KeyCreation,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
  ) {}

  /** The only answer that contains the key. */
  @Post()
  @RequireFresh({ factors: 'second' })
  @RequireFresh(OWN_CHANGES)
  @Header('Cache-Control', 'no-store')
  async create(@Req() request: JsonRequest): Promise<IssuedKey> {
    const login = this.context.principal() as Principal;
    return this.creation.create(login, readKeyRequest(request, this.options.settings));
  }

  @Get()
  @Header('Cache-Control', 'no-store')
  list(): Promise<KeyInfo[]> {
    return this.keys.listOf(this.context.getOrThrow().userId);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  async end(@Param('id') id: string): Promise<void> {
    await this.keys.end(this.events.begin(), this.context.getOrThrow(), id, 'logged-out');
  }
}
