import {
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Param,
  Patch,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { RequireFresh } from 'kit-auth';
import {
  badRequest,
  BeforeEnrolment,
  deviceNameFrom,
  type JsonRequest,
  KitAuthController,
  OWN_CHANGES,
  readFlag,
  readJsonObject,
  TransportExchanges,
} from 'kit-auth/extend';
import { type OwnPasskey, OwnPasskeys } from '../account/own-passkeys.js';
import { type CreationCeremony, Registration } from '../account/registration.js';
import { Removal } from '../account/removal.js';
import { readAttestation } from '../ceremonies/responses.js';

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
      name: name === undefined ? undefined : deviceNameFrom(name),
      endOthers,
    });
    return this.exchanges.write(answer, request, response);
  }

  @Patch(':id')
  async rename(@Param('id') id: string, @Req() request: JsonRequest): Promise<OwnPasskey> {
    return this.passkeys.rename(id, deviceNameFrom(readJsonObject(request)['name']));
  }

  @Delete(':id')
  @RequireFresh(OWN_CHANGES)
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@Param('id') id: string, @Query() query: object): Promise<void> {
    return this.removal.remove(id, readFlag(query, 'endOthers') ?? false);
  }
}
