import type { KitAuthSettings } from 'kit-auth';
import type { RouteRule } from 'kit-auth/cli';

interface Circumstances extends Pick<KitAuthSettings, 'enabled'> {
  /** Undefined if the path of the request is not known. */
  readonly needsToken: boolean | undefined;
  readonly isExplicit: boolean;
}

/** The decorator or option that makes a route open or protected. */
export function decidedBy(
  { decision, pattern }: RouteRule,
  { enabled, needsToken, isExplicit }: Circumstances,
): string {
  if (!enabled) {
    return 'kit.auth.enabled, which is false';
  }
  switch (decision) {
    case 'open by @Public':
      return '@Public()';
    case 'open by white-list':
      return `the pattern ${pattern} of kit.auth.whiteList`;
    case 'open by @OptionalUser':
      return '@OptionalUser()';
    case 'open by optional path':
      return `the pattern ${pattern} of kit.auth.optional`;
    case 'token, or open by optional path':
      return `the function when of kit.auth.optional, for the pattern ${pattern}. It may open the route`;
    case 'open by path':
      return 'kit.auth.protect, which has no pattern for this path';
    case 'open by default':
      return "kit.auth.protect, which is 'decorated': the route has no decorator";
    case 'token':
      return isExplicit ? 'its decorators' : 'kit.auth.protect';
    case 'token, or open by white-list':
      return needsToken === false
        ? 'kit.auth.whiteList, which has a pattern for this path'
        : `kit.auth.protect${needsToken === undefined ? PATH_DECIDES : ''}`;
    case 'token where the path is guarded':
      return needsToken === false
        ? 'kit.auth.protect, which has no pattern for this path'
        : `kit.auth.protect${needsToken === undefined ? PATH_DECIDES : ''}`;
  }
}

const PATH_DECIDES = '. Some paths of this route are open: give the path of a request';
