import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** @param name the last segment of the path of what the request created */
export type LocationSetter = (name: string | number) => void;

/** The part of a request of Express or Fastify that is used here. */
interface LocatedRequest {
  originalUrl?: string;
  url?: string;
}

/** The part of a response of Express or Fastify that is used here. */
interface LocatedResponse {
  header(name: string, value: string): unknown;
}

/**
 * Injects a function into the handler of a `POST` to a collection. It sets the header `Location` of the answer,
 * including the prefix of the application.
 */
export const SetLocation = createParamDecorator(
  (_data: unknown, context: ExecutionContext): LocationSetter => {
    const http = context.switchToHttp();
    const { originalUrl, url = '' } = http.getRequest<LocatedRequest>();
    const [path] = (originalUrl ?? url).split('?', 1) as [string];
    return (name) => {
      const location = `${path.replace(/\/+$/, '')}/${encodeURIComponent(name)}`;
      http.getResponse<LocatedResponse>().header('Location', location);
    };
  },
);
