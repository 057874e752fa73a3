import type { INestApplication } from '@nestjs/common';
import { RouteAccessReport } from 'kit-auth';

/** The routes that need no token of kit-auth. */
export function openRoutes(app: INestApplication): string[] {
  return app
    .get(RouteAccessReport)
    .routes()
    .filter(({ decision }) => decision.startsWith('open'))
    .map(({ method, path }) => `${method} ${path}`);
}
