import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { contributionsTo, usable } from 'kit-auth/cli';
import { DOCTOR_CHECK, type DoctorCheck } from 'kit-auth/feature';
import type { DataSourceInspection } from '../database/data-source.inspection.js';
import type { CliContext } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { checkAdministrator } from './administrator.check.js';
import { checkDatabase, checkTables } from './database.checks.js';
import { type Diagnosis, type Finding, problem, textAndCureOf, warning } from './diagnosis.js';
import { withoutHooks } from '../application/own-hooks.js';
import { hasTwoTypeOrms, inspecting } from '../application/inspection.js';
import type { Installation } from '../application/installation.js';
import { checkOptions } from './options.check.js';
import { checkSecret } from './secret.check.js';
import { checkSigningKeys } from './signing-keys.check.js';
import { checkThrottle, severalProcesses } from './throttle.check.js';
import { checkTrustProxy } from './trust-proxy.check.js';
import { checkWhiteList } from './white-list.check.js';
import { reasonOf } from '../reason.js';

const OF_OPTIONS = ['secret', 'administrator', 'white-list', 'throttle', 'trust proxy'];
const OF_DATABASE = ['database', 'tables'];
const OF_APPLICATION = ['application', ...OF_OPTIONS, ...OF_DATABASE];

/** Loads the application, and checks its options and its database. Changes neither. */
export async function checkApplication(
  diagnosis: Diagnosis,
  installation: Installation,
  context: CliContext,
): Promise<void> {
  if (hasTwoTypeOrms(installation)) {
    OF_APPLICATION.forEach((name) => diagnosis.skip(name, 'there are several copies of typeorm'));
    return;
  }
  await inspecting(installation, async (inspection) => {
    const app = await load(diagnosis, context);
    if (app === undefined) {
      const others = [...OF_OPTIONS, ...OF_DATABASE];
      others.forEach((name) => diagnosis.skip(name, 'the application could not be loaded'));
    } else {
      await checkLoaded(diagnosis, app, context, inspection);
    }
  });
}

/** @returns undefined if the application cannot be loaded, which is reported as a problem */
async function load(diagnosis: Diagnosis, context: CliContext): Promise<INestApplication | undefined> {
  let app: INestApplication | undefined;
  await diagnosis.check('application', async () => {
    // One error may be the cause of several failures.
    const failures = new Set<unknown>();
    try {
      app = await context.app({ until: 'init', onProblem: (error) => failures.add(error) });
      return [
        ...findingsOf(app, [...failures], await context.hooksLeft()),
        ...checkOptions(app, isProduction(context)),
      ];
    } catch (error) {
      failures.add(error);
      return [notLoaded(error)];
    } finally {
      failures.forEach(diagnosis.onError);
    }
  });
  return app;
}

function findingsOf(
  app: INestApplication,
  failures: readonly unknown[],
  hooksLeft: readonly string[],
): Finding[] {
  const { enabled } = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS);
  return [
    ...[...new Set(failures.map(reasonOf))].map((reason) =>
      hooksLeft.length > 0
        ? warning(`doctor cannot start a part of kit-auth: ${reason}`, withoutHooks('doctor', hooksLeft))
        : problem(
            `The application does not start: ${reason}`,
            'Do what the message says. The other checks continue where they can.',
          ),
    ),
    ...(enabled
      ? []
      : [
          warning(
            'kit.auth.enabled is false: nothing is protected.',
            'Remove the option, unless you want that.',
          ),
        ]),
  ];
}

function isProduction({ env }: CliContext): boolean {
  return env['NODE_ENV'] === 'production';
}

function notLoaded(error: unknown): Finding {
  const message = reasonOf(error).replace(/\s*\n\s*/g, ' ');
  if (error instanceof CliError && error.exitCode === 2) {
    const [text, cure] = textAndCureOf(message);
    return problem(text, cure || 'Correct that: the other checks need the application.');
  }
  return problem(
    message,
    'Correct that: the other checks need the application. If it needs environment variables, set them for this command ' +
      'too: node --env-file=.env node_modules/kit-auth-cli/dist/esm/main.js doctor. --verbose prints the stack.',
  );
}

async function checkLoaded(
  diagnosis: Diagnosis,
  app: INestApplication,
  context: CliContext,
  inspection: DataSourceInspection | undefined,
): Promise<void> {
  await inspection?.checkConnections();
  const hooksLeft = await context.hooksLeft();
  const found = context.found();
  const inProduction = isProduction(context);
  const { enabled, jwt } = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS);
  if (enabled) {
    await diagnosis.check('secret', () => checkSecret(app));
    if (jwt.keys !== undefined) {
      const { keys } = jwt;
      await diagnosis.check('signing keys', () => checkSigningKeys(keys));
    }
    await diagnosis.check(
      'administrator',
      async () => checkAdministrator(app, inProduction, await inspection?.users()),
      hooksLeft,
    );
    await diagnosis.check('white-list', () => checkWhiteList(app, found));
    await diagnosis.check('throttle', () =>
      checkThrottle(app, severalProcesses(found, context.env), inProduction),
    );
    await diagnosis.check('trust proxy', () => checkTrustProxy(app, found, inProduction));
    for (const check of contributedChecks(app)) {
      await diagnosis.check(check.name, () => check.run(), hooksLeft);
    }
  } else {
    OF_OPTIONS.forEach((name) => diagnosis.skip(name, 'kit.auth.enabled is false'));
  }
  if (inspection === undefined || inspection.dataSources().length === 0) {
    OF_DATABASE.forEach((name) => diagnosis.skip(name, 'the application has no data source of TypeORM'));
    return;
  }
  await diagnosis.check('database', () => checkDatabase(inspection));
  if (inspection.dataSources().some((dataSource) => inspection.failureOf(dataSource) === undefined)) {
    await diagnosis.check('tables', () => checkTables(inspection));
  } else {
    diagnosis.skip('tables', 'no database can be read');
  }
}

/** The checks of the modules of the application. @throws IllegalStateException for an invalid one */
function contributedChecks(app: INestApplication): DoctorCheck[] {
  return contributionsTo(app.get(DiscoveryService), DOCTOR_CHECK).map((contribution) =>
    usable<DoctorCheck>(contribution, 'DoctorCheck', ['run']),
  );
}
