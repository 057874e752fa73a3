import { isLiteral, withSingleSlashes } from './registered-path.js';

/** As Nest spells a prefix: an optional group such as `{/:lang}` brings its own slash. */
export function withLeadingSlash(prefix: string): string {
  return prefix === '' || /^(?:\/|\{\/)/.test(prefix) ? prefix : `/${prefix}`;
}

/** What can stand for any number of segments, or hide a slash that is none. */
const NO_FIXED_LENGTH = /[*{}()[\]?+!\\"]/;
/** Syntax of older routers, which Nest rewrites in a way that depends on the route behind the prefix. */
const LEGACY_SYNTAX = /[(+?]|\*(?![\w$"])/;

/** The application's global prefix, to be taken off the paths of routes and requests. */
export class GlobalPrefix {
  /** The prefix in front of each route. Empty when there is none. */
  private readonly text: string;
  private readonly segments: readonly string[];

  /** @param prefix what `app.setGlobalPrefix()` was given */
  constructor(prefix: string) {
    this.text = withSingleSlashes(withLeadingSlash(prefix)).replace(/\/$/, '');
    this.segments = this.text.split('/').slice(1);
  }

  /** A prefix without parameters. */
  get isLiteral(): boolean {
    return isLiteral(this.text);
  }

  /** Whether the prefix can be found in the path of a request. */
  get hasFixedLength(): boolean {
    return !NO_FIXED_LENGTH.test(this.text);
  }

  /**
   * A route without the prefix. `undefined` for a route that does not have it, `'unknown'` when that cannot be
   * determined.
   *
   * @param registered the path of the route, as it is registered with the router, with single slashes
   */
  takeOffRoute(registered: string): { path: string } | 'unknown' | undefined {
    if (this.text === '') {
      return undefined;
    }
    const start = registered.slice(0, this.text.length);
    const rest = registered.slice(this.text.length);
    if (start.toLowerCase() === this.text.toLowerCase() && /^(?:$|\/|\{\/)/.test(rest)) {
      return { path: rest === '' ? '/' : rest };
    }
    return LEGACY_SYNTAX.test(this.text) ? 'unknown' : undefined;
  }

  /** The path of a request without the prefix. Undefined when it lacks the prefix, or that cannot be determined. */
  takeOffRequest(path: string): string | undefined {
    if (this.text === '' || !this.hasFixedLength) {
      return undefined;
    }
    const segments = path.split('/').slice(1);
    return this.segments.every((segment, i) => sameSegment(segment, segments[i]))
      ? `/${segments.slice(this.segments.length).join('/')}`
      : undefined;
  }
}

function sameSegment(ofPrefix: string, ofPath: string | undefined): boolean {
  return ofPath !== undefined && (!isLiteral(ofPrefix) || ofPrefix.toLowerCase() === ofPath.toLowerCase());
}
