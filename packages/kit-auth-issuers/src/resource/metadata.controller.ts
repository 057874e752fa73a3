import { Get, Header, Inject, NotFoundException, Req } from '@nestjs/common';
import { WellKnownController } from 'kit-auth/extend';
import {
  issuersOptions,
  type IssuersSettings,
  type ResolvedIssuersOptions,
} from '../config/issuers.options.js';
import { metadataPathOf, WELL_KNOWN_NAME } from './metadata.js';

/** A request of Express or Fastify. */
interface PlatformRequest {
  readonly url: string;
  /** Express changes `url` inside routers. */
  readonly originalUrl?: string;
}

/** Tells OAuth clients which issuers have tokens for this application (RFC 9728). */
@WellKnownController(WELL_KNOWN_NAME)
export class KitAuthResourceMetadataController {
  private readonly settings: IssuersSettings;

  constructor(@Inject(issuersOptions.token) { settings }: ResolvedIssuersOptions) {
    this.settings = settings;
  }

  @Get()
  @Header('Cache-Control', 'public, max-age=300')
  metadata(@Req() request: PlatformRequest): object {
    return this.documentAt(request);
  }

  /** For a resource whose URL has a path. Express and Fastify spell wildcards differently. */
  @Get([':a', ':a/:b', ':a/:b/:c', ':a/:b/:c/:d'])
  @Header('Cache-Control', 'public, max-age=300')
  metadataOfPath(@Req() request: PlatformRequest): object {
    return this.documentAt(request);
  }

  private documentAt({ url, originalUrl = url }: PlatformRequest): object {
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
