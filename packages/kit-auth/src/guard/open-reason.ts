import type { AuthOpenReason } from '../diagnostics/messages.js';
import type { RouteDecision, RouteRule } from '../routes/route-rule.js';

const REASONS: Readonly<Record<RouteDecision, AuthOpenReason>> = {
  'open by path': 'path',
  'open by default': 'default',
  'open by @Public': 'public',
  'open by white-list': 'white-list',
  'token, or open by white-list': 'white-list',
  'token where the path is guarded': 'path',
  // A request to such a route always needs one.
  token: 'default',
};

/** Why a request needs no token, in a word. */
export function openReasonOf({ decision }: Pick<RouteRule, 'decision'>): AuthOpenReason {
  return REASONS[decision];
}
