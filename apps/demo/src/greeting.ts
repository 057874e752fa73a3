import type { KitAuthSettings } from 'kit-auth';

/** What a newcomer needs next: where it listens, who may log in, and three commands to paste. */
export function greeting(url: string, settings: KitAuthSettings, passwordIsOverridden: boolean): string {
  const { defaultAdminUsername, defaultAdminPassword, tokenHeader, tokenPrefix } = settings;
  // A password that somebody chose is not printed; the shell puts it in, or says that it does not know it.
  const password = passwordIsOverridden
    ? `'"\${KIT_AUTH_DEFAULT_ADMIN_PASSWORD:?export it first}"'`
    : defaultAdminPassword;
  const login = `{"username":${JSON.stringify(defaultAdminUsername).replaceAll("'", `'\\''`)},"password":"${password}"}`;
  const header = `"${tokenHeader}: ${tokenPrefix}\${TOKEN:?log in first}"`;
  const json = `-H 'Content-Type: application/json'`;
  return `
  Listening on ${url}, API documentation at ${url}/docs
  Administrator: ${defaultAdminUsername}, password: ${passwordIsOverridden ? 'as set in KIT_AUTH_DEFAULT_ADMIN_PASSWORD' : defaultAdminPassword}

TOKEN=$(curl -s ${url}/v1/api/auth/login ${json} -d '${login}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
curl -s ${url}/v1/notes -H ${header} ${json} -d '{"title":"First","text":"Written by curl"}'
curl -s ${url}/v1/notes -H ${header}
`;
}
