/** The detail of an event about the roles of a user, for example `roles: editor, reader`. */
export function rolesDetail(codes: readonly string[]): string {
  return `roles: ${codes.join(', ') || 'none'}`;
}
