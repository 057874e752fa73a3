import { insecureProblem } from './secure-url.js';

const MAX_BYTES = 256 * 1024;

/**
 * `fetch` for calls to other servers: only https, no redirects, and at most 256 KB. An answer may name other URLs, which would
 * otherwise make this server call whatever they name.
 */
export async function secureFetch(url: string, init?: RequestInit): Promise<Response> {
  if (insecureProblem(new URL(url)) !== undefined) {
    throw new Error('a URL is not an https URL');
  }
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const body = await limited(response);
  const { status, statusText, headers } = response;
  const hasBody = body.length > 0 && ![204, 205, 304].includes(status);
  return new Response(hasBody ? body : null, { status, statusText, headers });
}

async function limited({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      throw new Error(`an answer has more than ${MAX_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
