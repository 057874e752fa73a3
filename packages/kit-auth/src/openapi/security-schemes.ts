import type { KitAuthSettings } from '../contract/settings.js';
import type { RouteAccess } from '../route-report/route-access.js';

export interface DocumentOptions {
  /** The name of the security scheme for the token header. Default `bearer`, as in `addBearerAuth()`. */
  security?: string | undefined;
  /** The name of the security scheme for the cookie of `kit-auth-browser`. Default `cookie`, as in `addCookieAuth()`. */
  cookie?: string | undefined;
}

/** The ways in which tokens travel, and what operations require of them. */
export class SecuritySchemes {
  private readonly header: object;
  /** The schemes of all tokens that users have. */
  private readonly tokens: Readonly<Record<string, object>>;
  private readonly required = new Set<string>();

  /** @param cookieName undefined where tokens do not travel in cookies */
  constructor(
    { tokenHeader, tokenPrefix }: Pick<KitAuthSettings, 'tokenHeader' | 'tokenPrefix'>,
    cookieName: string | undefined,
    { security = 'bearer', cookie = 'cookie' }: DocumentOptions,
  ) {
    const isBearer = /^authorization$/i.test(tokenHeader) && /^bearer /i.test(tokenPrefix);
    this.header = isBearer
      ? { type: 'http', scheme: 'bearer' }
      : { type: 'apiKey', in: 'header', name: tokenHeader };
    this.tokens = {
      [security]: this.header,
      ...(cookieName !== undefined && { [cookie]: { type: 'apiKey', in: 'cookie', name: cookieName } }),
    };
  }

  /** The security requirement of a route. */
  requirementOf({ decision, invalid, credentials = [] }: RouteAccess): object[] {
    const isOptional = invalid !== undefined;
    if (decision.startsWith('open') && !isOptional) {
      return [];
    }
    const names = [...Object.keys(this.tokens), ...credentials];
    names.forEach((name) => this.required.add(name));
    const schemes = names.map((name) => ({ [name]: [] }));
    // The first is what clients use by default.
    return isOptional ? [{}, ...schemes] : [...schemes, ...(decision === 'token' ? [] : [{}])];
  }

  /** Adds what the requirements name, because a document is not valid without it. */
  addTo(document: { components?: { securitySchemes?: object } }): void {
    if (this.required.size > 0) {
      const added = [...this.required].map((name) => [name, this.tokens[name] ?? this.header]);
      const securitySchemes = {
        ...(Object.fromEntries(added) as object),
        ...document.components?.securitySchemes,
      };
      document.components = { ...document.components, securitySchemes };
    }
  }
}
