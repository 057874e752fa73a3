import { AuthException } from './auth.exception.js';

/** Node's own response. */
export interface NodeResponse {
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
}

/**
 * Sets the headers of a refusal where it is made. They reach the client whichever filter writes the answer.
 *
 * @param error anything but an `AuthException` has no headers
 */
export function setRefusalHeaders(error: unknown, response: NodeResponse): void {
  if (!(error instanceof AuthException) || response.headersSent) {
    return;
  }
  for (const [name, value] of Object.entries(error.headers)) {
    response.setHeader(name, value);
  }
}

/** Node's response behind that of the platform: Express extends it, and a reply of Fastify has it in `raw`. */
export function nodeResponseOf(response: NodeResponse | { readonly raw: NodeResponse }): NodeResponse {
  return 'raw' in response ? response.raw : response;
}
