import type { INestApplication } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../../contract/settings.js';
import { RouteAccessReport } from '../../routes/route-access.report.js';
import { isOpen } from '../../routes/route-rule.js';
import { callsOnlyInMain } from '../application/main-file.js';
import type { FoundApplication } from '../application/find-application.js';
import { type Finding, type Passed, problem, warning } from './finding.js';

const ALL_PATHS = /^(?:\/\*\*)+\/?$/;

/** Looks for a white-list, or a list of protected paths, that leaves nothing protected. */
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
  const all = whiteList.find((pattern) => ALL_PATHS.test(pattern));
  if (all !== undefined) {
    return [
      problem(
        `kit.auth.whiteList has '${all}': every path is open.`,
        "Remove it. List the paths that need no token, such as '/v1/public/**', or use @Public().",
      ),
    ];
  }
  const routes = app
    .get(RouteAccessReport)
    .decided()
    .filter(({ ours }) => !ours);
  const calls = callsOnlyInMain(found);
  const note = calls.length > 0 ? { note: unsure(calls) } : [];
  const opened = routes.filter(({ rule }) => isOpen(rule) && rule.decision !== 'open by @Public');
  if (opened.length === 0 || routes.some(({ rule }) => !isOpen(rule))) {
    return note;
  }
  const patterns = [...new Set(opened.flatMap(({ rule }) => rule.pattern ?? []))];
  const text = `None of the ${routes.length} routes of the application needs a token.`;
  const list = '`npx kit-auth routes` lists the routes and what opens them.';
  if (calls.length > 0) {
    return [warning(`${text} But ${unsure(calls)}.`, `Name it, and run doctor again. ${list}`)];
  }
  return patterns.length > 0
    ? [
        problem(
          `${text} kit.auth.whiteList has ${quoted(patterns)}.`,
          `Make the patterns narrower, or remove them. ${list}`,
        ),
      ]
    : [
        warning(
          `${text} kit.auth.protect does not cover them.`,
          `Set it to the paths of your routes, such as ['/**'], or use @RequireToken(). ${list}`,
        ),
      ];
}

/** Their paths are others once `main.js` has run. */
function unsure(calls: readonly string[]): string {
  return `main.js calls ${calls.join(' and ')}, which commands do not run: name a setup function in package.json`;
}

function quoted(patterns: readonly string[]): string {
  return patterns.map((it) => `'${it}'`).join(', ');
}
