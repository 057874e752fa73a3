import { Controller, Get } from '@nestjs/common';
import { KitAuthContext, RequirePermissions, RequireRoles } from 'kit-auth';
import { type Issuer, KitAuthIssuersModule, type KitAuthIssuersOptions } from 'kit-auth-issuers';
import { FakeIssuer } from 'kit-auth-issuers/testing';
import { ListeningApp, type TestAppOptions } from 'test-support';

export const COMPANY = 'https://login.example.com/realms/company';
export const AUDIENCE = 'notes-api';

export interface IssuersAppOptions extends TestAppOptions {
  issuers: KitAuthIssuersOptions;
}

@Controller('v1/notes')
class NotesController {
  constructor(private readonly context: KitAuthContext) {}

  @Get('mine')
  mine() {
    const { scheme, proof, user } = this.context.principal()!;
    return { scheme, factors: proof.factors, user };
  }

  @Get()
  @RequirePermissions('note:read')
  list() {
    return [];
  }

  @Get('drafts')
  @RequireRoles('editor')
  drafts() {
    return [];
  }
}

/** An application that accepts tokens of other issuers. */
export class IssuersApp extends ListeningApp {
  constructor({ issuers, ...options }: IssuersAppOptions) {
    super(
      { admin: true, ...options },
      { imports: [KitAuthIssuersModule.forRoot(issuers)], controllers: [NotesController] },
    );
  }

  /** `live`, or the code and the reason of the refusal. */
  override stateOf(token: string, target = '/v1/notes/mine'): Promise<string> {
    return super.stateOf(token, target);
  }
}

/** An issuer without a network, and the options that accept its tokens. */
export function fakeIssuer(
  options: Partial<Issuer> & Pick<Issuer, 'user'>,
  url = COMPANY,
): { fake: FakeIssuer; options: Issuer } {
  const fake = new FakeIssuer({ issuer: url, audience: AUDIENCE });
  return { fake, options: { issuer: url, audience: AUDIENCE, jwks: fake.jwks, ...options } };
}
