import { connect, type Socket } from 'node:net';
import { requireSentence } from './required-sentences.js';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** The lines of the header as they were sent. */
  lines: string[];
  /** The values of `Set-Cookie`. */
  cookies: string[];
  text: string;
  /** The body, if it is JSON. */
  json: any;
}

/** The body of an answer that must have this status. */
export function bodyOf({ status, text, json }: Answer, expected = 200): any {
  if (status !== expected) {
    throw new Error(`The request was answered with ${status} ${text}`);
  }
  return json;
}

/** Sends one request over its own socket, byte for byte: HTTP clients would normalise it. */
export async function send(port: number, request: string | Buffer): Promise<Answer> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  return parse(await readAll(socket));
}

/** For answers without an end: returns the bytes up to a string. */
export async function sendUntil(port: number, request: Buffer, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  let received = '';
  for await (const chunk of socket) {
    received += (chunk as Buffer).toString();
    if (received.includes(text)) {
      break; // which closes the socket
    }
  }
  return received;
}

export interface RequestParts {
  method?: string;
  /** Lines in their wire format. */
  headers?: readonly string[];
  body?: string | Buffer;
}

/** A request that is well-formed, except for the given parts. */
export function requestOf(target: string, { method = 'GET', headers = [], body }: RequestParts = {}): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers];
  if (body !== undefined && !headers.some((line) => /^(content-length|transfer-encoding):/i.test(line))) {
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body ?? '')]);
}

export function request(port: number, target: string, parts?: RequestParts): Promise<Answer> {
  return send(port, requestOf(target, parts));
}

export function postJson(
  port: number,
  target: string,
  body: unknown,
  headers: string[] = [],
): Promise<Answer> {
  return request(port, target, {
    method: 'POST',
    headers: ['Content-Type: application/json', ...headers],
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

/** Parses an answer with one body. Joins the parts of a chunked body. @throws Error for an error without a sentence */
export function parse(text: string): Answer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const fields = lines.map(
    (line) =>
      [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
  );
  const headers = Object.fromEntries(fields);
  const cookies = fields.filter(([name]) => name === 'set-cookie').map(([, value]) => value);
  const raw = text.slice(end + 4);
  const body = headers['transfer-encoding'] === 'chunked' ? dechunk(raw) : raw;
  const status = Number(statusLine.split(' ')[1]);
  const json = jsonOf(body);
  requireSentence(json);
  return { status, headers, lines, cookies, text: body, json };
}

function dechunk(raw: string): string {
  const bytes = Buffer.from(raw);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts).toString();
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
