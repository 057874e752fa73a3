import { Inject, Injectable } from '@nestjs/common';
import type { DoctorCheck, DoctorFinding } from 'kit-auth/feature';
import { type IssuerSettings, settingsOf } from '../issuer.js';
import { issuersOptions, type ResolvedIssuersOptions } from '../issuers.options.js';
import { fetchKeys, IssuerConnections, reasonOf } from './issuer.connections.js';

const TIMEOUT_MS = 5000;
const CURE =
  'Compare issuer with that of its discovery document, jwks with the URL of its keys, and algorithms with those of its keys. ' +
  'This machine has to reach it.';

/** Fetches the keys of each issuer, for `npx kit-auth doctor`. */
@Injectable()
export class IssuersCheck implements DoctorCheck {
  readonly name = 'issuers';

  constructor(
    @Inject(issuersOptions.token) private readonly options: ResolvedIssuersOptions,
    private readonly connections: IssuerConnections,
  ) {}

  async run(): Promise<DoctorFinding[]> {
    const issuers = this.options.settings.issuers.map(settingsOf);
    return (await Promise.all(issuers.map((issuer) => this.findingsOf(issuer)))).flat();
  }

  private async findingsOf(issuer: IssuerSettings): Promise<DoctorFinding[]> {
    try {
      await fetchKeys(this.connections, issuer, AbortSignal.timeout(TIMEOUT_MS));
      return [];
    } catch (error) {
      return [
        {
          level: 'problem',
          problem: `There are no keys of the issuer ${issuer.issuer} of kit.auth.issuers.issuers: ${reasonOf(error)}.`,
          cure: CURE,
        },
      ];
    }
  }
}
