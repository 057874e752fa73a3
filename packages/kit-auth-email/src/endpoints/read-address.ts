import { badRequest, type JsonRequest, readTexts } from 'kit-auth/extend';
import { type Address, parseAddress } from '../addresses/address.js';

/** The address in the body of a request. @throws AuthException 40000, whether an account exists or not */
export function readAddress(request: JsonRequest): Address {
  const address = parseAddress(readTexts(request, ['email']).email);
  if (address === undefined) {
    throw badRequest('"email" must be one email address');
  }
  return address;
}
