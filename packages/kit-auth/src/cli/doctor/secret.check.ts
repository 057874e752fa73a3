import type { INestApplication } from '@nestjs/common';
import { PublicDefaults } from '../../seeding/public.defaults.js';
import { type Finding, problem } from './finding.js';

/** The option that the check of the administrator reports. */
export const PASSWORD_KEY = 'kit.auth.defaultAdminPassword';

/** Looks for secrets that everybody can read in the source code. */
export function checkSecret(app: INestApplication): Finding[] {
  return app
    .get(PublicDefaults)
    .options()
    .filter(({ key }) => key !== PASSWORD_KEY)
    .map(({ problem: text, cure }) => problem(`${text} Everybody can issue tokens with it.`, cure));
}
