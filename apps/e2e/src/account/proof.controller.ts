import { Controller, Get } from '@nestjs/common';
import { KitAuthContext, RequireFresh } from 'kit-auth';

/** Tells what a login has shown, and asks for more. */
@Controller('v1/proof')
export class ProofController {
  constructor(private readonly context: KitAuthContext) {}

  @Get()
  get() {
    return this.context.proof()?.factors;
  }

  @Get('fresh')
  @RequireFresh()
  fresh() {
    return {};
  }

  @Get('full')
  @RequireFresh({ factors: 'full' })
  full() {
    return {};
  }
}
