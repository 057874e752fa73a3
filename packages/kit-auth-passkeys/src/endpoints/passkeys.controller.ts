import { Delete, Get, Header, HttpCode, HttpStatus, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { RequireFresh } from 'kit-auth';
import {
  badRequest,
  BeforeEnrolment,
  isDisplayName,
  type JsonRequest,
  KitAuthController,
  readJsonObject,
  TransportExchanges,
} from 'kit-auth/extend';
import { OWN_CHANGES } from '../account/own-changes.js';
import { type OwnPasskey, OwnPasskeys } from '../account/own-passkeys.js';
import { type CreationCeremony, Registration } from '../account/registration.js';
import { Removal } from '../account/removal.js';
import { readAttestation } from '../ceremonies/responses.js';

const MAX_NAME = 64;

/** The passkeys of the current user. */
@KitAuthController('passkeys')
@BeforeEnrolment()
export class KitAuthPasskeysController {
  constructor(
    private readonly passkeys: OwnPasskeys,
    private readonly registration: Registration,
    private readonly removal: Removal,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  list(): Promise<OwnPasskey[]> {
    return this.passkeys.list();
  }

  @Post('options')
  @RequireFresh(OWN_CHANGES)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async options(@Req() request: JsonRequest): Promise<CreationCeremony> {
    readJsonObject(request);
    return this.registration.begin();
  }

  @Post()
  @RequireFresh(OWN_CHANGES)
  @Header('Cache-Control', 'no-store')
  async add(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const { name, endOthers = false } = readJsonObject(request);
    if (typeof endOthers !== 'boolean') {
      throw badRequest('"endOthers" must be true or false');
    }
    const answer = await this.registration.complete({
      ...readAttestation(request),
      name: name === undefined ? undefined : nameFrom(name),
      endOthers,
    });
    return this.exchanges.write(answer, request, response);
  }

  @Patch(':id')
  async rename(@Param('id') id: string, @Req() request: JsonRequest): Promise<OwnPasskey> {
    return this.passkeys.rename(id, nameFrom(readJsonObject(request)['name']));
  }

  @Delete(':id')
  @RequireFresh(OWN_CHANGES)
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@Param('id') id: string): Promise<void> {
    return this.removal.remove(id);
  }
}

function nameFrom(value: unknown): string {
  const name = typeof value === 'string' ? value.trim() : undefined;
  if (!isDisplayName(name, MAX_NAME)) {
    throw badRequest(`"name" must be a name of at most ${MAX_NAME} characters, such as "My phone"`);
  }
  return name;
}
