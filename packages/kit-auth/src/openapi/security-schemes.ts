import type { AuthCredential } from '../contract/auth-credential.js';
import type { KitAuthSettings } from '../contract/settings.js';
import type { RouteAccess } from '../route-report/route-access.js';

export interface DocumentOptions {
  /** The name of the security scheme for the token header. Default `bearer`, as in `addBearerAuth()`. */
  security?: string | undefined;
  /** The name of the security scheme for the cookie of `kit-auth-browser`. Default `cookie`, as in `addCookieAuth()`. */
  cookie?: string | undefined;
}

interface Described {
  components?: { securitySchemes?: object };
}

type Schemes = Readonly<Record<string, object>>;

/** The security schemes of a document, and the requirements of its operations. */
export class SecuritySchemes {
  /** The schemes of all tokens that users have. */
  private readonly tokens: Schemes;
  /** The schemes of credentials, by name. Only the document can describe credentials that read requests in their own way. */
  private readonly ofCredentials: Schemes;
  private readonly required = new Set<string>();

  /**
   * @param credentials of the application
   * @param cookieName undefined where tokens do not travel in cookies
   */
  constructor(
    { tokenHeader, tokenPrefix }: Pick<KitAuthSettings, 'tokenHeader' | 'tokenPrefix'>,
    cookieName: string | undefined,
    { security = 'bearer', cookie = 'cookie' }: DocumentOptions,
    private readonly document: Described,
    credentials: readonly AuthCredential[],
  ) {
    const inHeader = { type: 'apiKey', in: 'header', name: tokenHeader };
    const http = (scheme: string) =>
      /^authorization$/i.test(tokenHeader) ? { type: 'http', scheme: scheme.toLowerCase() } : inHeader;
    const header = /^bearer /i.test(tokenPrefix) ? http('bearer') : inHeader;
    this.ofCredentials = {
      ...Object.fromEntries(
        credentials
          .filter((credential) => credential.read === undefined)
          .map(({ scheme, authScheme }) => [
            nameOf(scheme),
            authScheme === undefined ? header : http(authScheme),
          ]),
      ),
      ...document.components?.securitySchemes,
    };
    this.tokens = {
      [security]: header,
      ...(cookieName !== undefined && { [cookie]: { type: 'apiKey', in: 'cookie', name: cookieName } }),
    };
  }

  /** The security requirement of a route. */
  requirementOf({ decision, invalid, credentials = [] }: RouteAccess): object[] {
    const isOptional = invalid !== undefined;
    if (decision.startsWith('open') && !isOptional) {
      return [];
    }
    const described = credentials.map(nameOf).filter((scheme) => Object.hasOwn(this.ofCredentials, scheme));
    const names = [...Object.keys(this.tokens), ...described];
    names.forEach((name) => this.required.add(name));
    const schemes = names.map((name) => ({ [name]: [] }));
    // Clients use the first by default.
    return isOptional ? [{}, ...schemes] : [...schemes, ...(decision === 'token' ? [] : [{}])];
  }

  /** Adds the schemes that requirements name: a document is not valid without them. */
  addToDocument(): void {
    const { document } = this;
    if (this.required.size > 0) {
      const added = [...this.required].map((name) => [name, this.tokens[name] ?? this.ofCredentials[name]]);
      const securitySchemes = {
        ...(Object.fromEntries(added) as object),
        ...document.components?.securitySchemes,
      };
      document.components = { ...document.components, securitySchemes };
    }
  }
}

/** Documents allow fewer characters in the names of security schemes than `AuthCredential.scheme` has. */
function nameOf(scheme: string): string {
  return scheme.replaceAll(/[^\w.-]/g, '-');
}
