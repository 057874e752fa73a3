import { EventEmitter } from 'node:events';

/** As much of Node's response as a request context uses, with its headers to read. */
export function nodeResponse() {
  const headers: Record<string, string> = {};
  return Object.assign(new EventEmitter(), {
    destroyed: false,
    headersSent: false,
    headers,
    getHeader: (name: string) => headers[name],
    setHeader: (name: string, value: string) => void (headers[name] = value),
  });
}
