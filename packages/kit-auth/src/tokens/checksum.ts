import { crc32 } from 'node:zlib';

/** The text of a token: `body`, and a CRC-32 of it in base 36. Secret scanners find leaked tokens by prefix and checksum. */
export function withChecksum(body: string): string {
  return `${body}_${checksumOf(body)}`;
}

/** Whether `checksum` is the one of `body`. A token with a wrong one needs no lookup. */
export function hasChecksum(body: string, checksum: string | undefined): boolean {
  return checksumOf(body) === checksum;
}

function checksumOf(body: string): string {
  return crc32(body).toString(36).padStart(7, '0');
}
