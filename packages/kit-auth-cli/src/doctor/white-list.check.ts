import type { INestApplication } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings, RouteAccessReport } from 'kit-auth';
import { AntPattern, ANY, matchesAllPaths, REST, type RouteSegment } from 'kit-auth/cli';
import { type DecidedRoute, isOpen } from 'kit-auth/tools';
import { type PathChanges, pathChangesIn } from '../application/entry-file.js';
import type { FoundApplication } from '../application/find-application.js';
import { type Finding, type Passed, problem, textAndCureOf, warning } from './diagnosis.js';

const PATTERNS_OF = {
  'kit.auth.whiteList': 'open by white-list',
  'kit.auth.optional': 'open by optional path',
} as const;
const LIST = '`npx kit-auth routes` lists the routes and what opens them.';

/** Looks for a white-list, or a list of protected paths, that leaves too little protected. */
export function checkWhiteList(app: INestApplication, found: FoundApplication): Finding[] | Passed {
  const { protect, whiteList } = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS);
  if (protect === 'decorated' && whiteList.length > 0) {
    return [
      warning(
        "kit.auth.whiteList has no effect, because kit.auth.protect is 'decorated'.",
        'Remove the white-list, or set kit.auth.protect to paths.',
      ),
    ];
  }
  const all = whiteList.find(matchesAllPaths);
  if (all !== undefined) {
    return [
      problem(
        `kit.auth.whiteList has '${all}': every path is open.`,
        "Remove it. List the paths that need no token, such as '/v1/public/**', or use @Public().",
      ),
    ];
  }
  const report = app.get(RouteAccessReport);
  const routes = [...report.decided(), ...report.decidedResolvers()].filter(({ ours }) => !ours);
  const changes = pathChangesIn(found);
  if (routes.length > 0 && routes.every(({ rule }) => isOpen(rule))) {
    return [nothingIsProtected(routes, changes)];
  }
  const prefixes = protect === 'decorated' ? [] : openedPrefixes(protect, whiteList);
  if (changes === undefined) {
    return [...prefixes, ...report.warnings().map(asWarning)];
  }
  return prefixes.length > 0 ? prefixes : { note: unsure(changes) };
}

function nothingIsProtected(routes: readonly DecidedRoute[], changes: PathChanges | undefined): Finding {
  const opened = routes.filter(({ rule }) => rule.decision !== 'open by @Public');
  const patterns = Object.entries(PATTERNS_OF).flatMap(([option, decision]) => {
    const found = opened.flatMap(({ rule }) => (rule.decision === decision ? (rule.pattern ?? []) : []));
    return found.length === 0 ? [] : [`${option} has ${quoted([...new Set(found)])}`];
  });
  const text = `None of the ${routes.length} routes of the application needs a token.`;
  if (opened.length === 0) {
    return warning(`${text} All of them have @Public().`, `Remove it where a token is needed. ${LIST}`);
  }
  if (changes !== undefined) {
    return warning(`${text} But ${unsure(changes)}.`, `Name it, and run doctor again. ${LIST}`);
  }
  return patterns.length > 0
    ? problem(`${text} ${patterns.join(', and ')}.`, `Make the patterns narrower, or remove them. ${LIST}`)
    : warning(
        `${text} kit.auth.protect does not cover them.`,
        `Set it to the paths of your routes, such as ['/**'], or use @RequireToken(). ${LIST}`,
      );
}

/** Patterns of the white-list that open every path of a pattern of `protect`. */
function openedPrefixes(protect: readonly string[], whiteList: readonly string[]): Finding[] {
  return protect.flatMap((covered) => {
    const opening = whiteList.find((pattern) => new AntPattern(pattern).matchesAllOf(pathsBelow(covered)));
    return opening === undefined
      ? []
      : problem(
          `kit.auth.whiteList has '${opening}', which opens all paths that kit.auth.protect covers with '${covered}'.`,
          `Make it narrower. If all of these paths need no token, leave '${covered}' out of kit.auth.protect. ${LIST}`,
        );
  });
}

/** The paths of a pattern. The path in front of `/**` is left out: what is below it matters. */
function pathsBelow(pattern: string): RouteSegment[] {
  return pattern
    .split('/')
    .slice(1)
    .flatMap((segment): RouteSegment[] =>
      segment === '**' ? [ANY, REST] : [/[*?]/.test(segment) ? ANY : segment],
    );
}

function asWarning(message: string): Finding {
  const [text, cure] = textAndCureOf(message);
  return warning(text, `${cure} ${LIST}`);
}

/** The entry file may change the paths. */
function unsure({ shown, calls }: PathChanges): string {
  return `${shown} may call ${calls.join(' and ')}, which commands do not run: name a setup function in package.json`;
}

function quoted(patterns: readonly string[]): string {
  return patterns.map((pattern) => `'${pattern}'`).join(', ');
}
