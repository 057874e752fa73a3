/**
 * The secrets of the old and the new tokens. They differ, because with one secret the old guard would take a new token
 * for an old one.
 */
export function secrets(env = process.env): { oldSecret: string; newSecret: string } {
  const { JWT_SECRET: oldSecret, KIT_AUTH_JWT_SECRET: newSecret } = env;
  if (!oldSecret || !newSecret || oldSecret === newSecret) {
    throw new Error('Set JWT_SECRET and KIT_AUTH_JWT_SECRET to two different secrets.');
  }
  return { oldSecret, newSecret };
}
