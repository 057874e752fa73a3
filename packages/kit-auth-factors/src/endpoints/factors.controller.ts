import { Delete, Get, Header, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import { KitAuthContext, RequireFresh } from 'kit-auth';
import {
  badRequest,
  BeforeEnrolment,
  deviceNameFrom,
  type JsonRequest,
  KitAuthController,
  OWN_CHANGES,
  readJsonObject,
  readTexts,
  TransportExchanges,
} from 'kit-auth/extend';
import { type FactorList, UserFactors } from '../administration/user-factors.js';
import { RecoveryRenewal } from '../account/recovery.renewal.js';
import { type EnrolledDevice, Enrolment } from '../account/enrolment.js';
import { Removal } from '../account/removal.js';

/** The factors of the current user. */
@KitAuthController('factors')
@BeforeEnrolment()
export class KitAuthFactorsController {
  constructor(
    private readonly factors: UserFactors,
    private readonly enrolment: Enrolment,
    private readonly removal: Removal,
    private readonly recovery: RecoveryRenewal,
    private readonly exchanges: TransportExchanges,
    private readonly context: KitAuthContext,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  list(): Promise<FactorList> {
    return this.factors.listOf(this.context.getOrThrow().userId);
  }

  @Post('totp')
  @RequireFresh(OWN_CHANGES)
  @Header('Cache-Control', 'no-store')
  add(@Req() request: JsonRequest): Promise<EnrolledDevice> {
    return this.enrolment.begin(deviceNameFrom(readTexts(request, ['name']).name));
  }

  /** Needs no fresh login: the first step did, and the code shows that the user is there. */
  @Post('totp/:id/confirm')
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async confirm(
    @Param('id') id: string,
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object> {
    const { code } = readTexts(request, ['code']);
    const { endOthers = false } = readJsonObject(request);
    if (typeof endOthers !== 'boolean') {
      throw badRequest('"endOthers" must be true or false');
    }
    const answer = await this.enrolment.confirm({ id, code, endOthers });
    return this.exchanges.write(answer, request, response);
  }

  @Post('recovery')
  @RequireFresh(OWN_CHANGES)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async renewRecovery(): Promise<{ recoveryCodes: string[] }> {
    return { recoveryCodes: await this.recovery.renew() };
  }

  @Delete(':id')
  @RequireFresh(OWN_CHANGES)
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@Param('id') id: string): Promise<void> {
    return this.removal.remove(id);
  }
}
