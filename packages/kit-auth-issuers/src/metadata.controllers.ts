import { Get, Header, Injectable, Inject, NotFoundException, Req } from '@nestjs/common';
import { WellKnownController } from 'kit-auth/feature';
import { issuersOptions, type IssuersSettings, type ResolvedIssuersOptions } from './issuers.options.js';

/** Behind `/.well-known/`. */
const WELL_KNOWN_NAME = 'oauth-protected-resource';
const CACHE_CONTROL = ['Cache-Control', 'public, max-age=300'] as const;

/** A request of Express or Fastify. */
interface PlatformRequest {
  readonly url: string;
  /** Express changes `url` inside routers. */
  readonly originalUrl?: string;
}

/** Metadata of the application for OAuth clients (RFC 9728). */
@Injectable()
export class ResourceMetadata {
  private readonly settings: IssuersSettings;

  constructor(@Inject(issuersOptions.token) { settings }: ResolvedIssuersOptions) {
    this.settings = settings;
  }

  /** @throws NotFoundException for a path of another resource */
  at({ url, originalUrl = url }: PlatformRequest): object {
    const { resource, issuers } = this.settings;
    const [path] = originalUrl.split('?');
    if (resource === undefined || path !== metadataPathOf(resource)) {
      throw new NotFoundException();
    }
    const scopes = issuers.flatMap(({ user }) =>
      typeof user === 'object' ? Object.keys(user.claims.permissions?.fromScope ?? {}) : [],
    );
    return {
      resource,
      authorization_servers: issuers.map(({ issuer }) => issuer),
      ...(scopes.length > 0 && { scopes_supported: [...new Set(scopes)] }),
      bearer_methods_supported: ['header'],
    };
  }
}

/** Names the issuers of tokens for this application. */
@WellKnownController(WELL_KNOWN_NAME)
export class KitAuthResourceController {
  constructor(private readonly metadata: ResourceMetadata) {}

  @Get()
  @Header(...CACHE_CONTROL)
  list(@Req() request: PlatformRequest): object {
    return this.metadata.at(request);
  }
}

/** The same for a resource whose URL has a path. Express and Fastify spell wildcards differently. */
@WellKnownController(WELL_KNOWN_NAME)
export class KitAuthResourcePathController {
  constructor(private readonly metadata: ResourceMetadata) {}

  @Get([':a', ':a/:b', ':a/:b/:c', ':a/:b/:c/:d'])
  @Header(...CACHE_CONTROL)
  list(@Req() request: PlatformRequest): object {
    return this.metadata.at(request);
  }
}

/** Whether an application has metadata at the root, or at a path. */
export function hasMetadata({ settings: { resource } }: ResolvedIssuersOptions, atPath: boolean): boolean {
  return resource !== undefined && atPath === new URL(resource).pathname.length > 1;
}

/** The path of the metadata of a resource (RFC 9728 section 3.1). */
function metadataPathOf(resource: string): string {
  return `/.well-known/${WELL_KNOWN_NAME}${new URL(resource).pathname.replace(/\/$/, '')}`;
}

/** The URL of the metadata of a resource. */
export function metadataUrlOf(resource: string): string {
  return `${new URL(resource).origin}${metadataPathOf(resource)}`;
}
