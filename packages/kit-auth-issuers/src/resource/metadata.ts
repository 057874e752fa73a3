/** Behind `/.well-known/`. */
export const WELL_KNOWN_NAME = 'oauth-protected-resource';

/** The path of the metadata of a resource (RFC 9728 section 3.1). */
export function metadataPathOf(resource: string): string {
  return `/.well-known/${WELL_KNOWN_NAME}${new URL(resource).pathname.replace(/\/$/, '')}`;
}

/** The URL of the metadata of a resource. */
export function metadataUrlOf(resource: string): string {
  return `${new URL(resource).origin}${metadataPathOf(resource)}`;
}
