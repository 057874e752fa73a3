import { type Address, badRequest, type JsonRequest, parseAddress, readTexts } from 'kit-auth/extend';

/** The address in the body of a request, without outer spaces. @throws AuthException 40000, whether an account exists or not */
export function readAddress(request: JsonRequest): Address {
  const address = parseAddress(readTexts(request, ['email']).email.trim());
  if (address === undefined) {
    throw badRequest('"email" must be one email address');
  }
  return address;
}
