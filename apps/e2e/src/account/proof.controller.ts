import { Controller, Get } from '@nestjs/common';
import { KitAuthContext, RequireFresh } from 'kit-auth';
import { ListeningApp, type OwnParts, type TestAppOptions } from 'test-support';

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

/** An application with these routes. */
export class ProofApp extends ListeningApp {
  constructor(options: TestAppOptions, { controllers = [], ...own }: OwnParts) {
    super(options, { ...own, controllers: [ProofController, ...controllers] });
  }

  /** The factors in the proof of a token. */
  async proofOf(token: string): Promise<Record<string, number>> {
    return (await this.request('/v1/proof', { token })).json;
  }
}
