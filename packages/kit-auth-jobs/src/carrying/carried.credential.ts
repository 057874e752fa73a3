import { Injectable } from '@nestjs/common';
import type { AuthCredential } from 'kit-auth';
import { invalidToken } from 'kit-auth/extend';
import { CARRIED_PREFIX } from './carried.tokens.js';
import { CARRIED } from './carried.users.js';

/** Refuses carried users as tokens of requests. They are valid for a job or a message only. */
@Injectable()
export class CarriedCredential implements AuthCredential {
  readonly prefix = CARRIED_PREFIX;
  readonly scheme = CARRIED;

  resolve(): never {
    throw invalidToken('audience');
  }

  allows(): boolean {
    return false;
  }
}
