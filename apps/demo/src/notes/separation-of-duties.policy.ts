import { Injectable } from '@nestjs/common';
import type { AuthPolicy, LoginUser } from 'kit-auth';

/** Who gives out the roles does not review: refuses super administrators, who have every role and permission. */
@Injectable()
export class SeparationOfDuties implements AuthPolicy {
  can({ superAdmin }: LoginUser): boolean {
    return !superAdmin;
  }
}
