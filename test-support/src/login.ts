import { postJson } from './raw-http.js';

/** A token of the seeded administrator. */
export async function tokenOf(port: number, prefix = ''): Promise<string> {
  const answer = await postJson(port, `${prefix}/v1/api/auth/login`, {
    username: 'admin',
    password: 'admin',
  });
  return answer.json.token;
}

export function bearer(token: string): string {
  return `Authorization: Bearer ${token}`;
}
