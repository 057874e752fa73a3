import { HttpAdapterHost } from '@nestjs/core';
import { RouteAccessReport } from 'kit-auth';
import { textOf } from 'kit-auth/cli';
import { type CliCommand, type CliContext, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { type Caller, Explainer } from '../explain/explainer.js';
import type { Answer, ExplainedUser, Explanation } from '../explain/explanation.js';
import { onlyLineOf } from '../prompt.js';
import { askedRequest, findRoutes, type FoundRoutes } from '../explain/find-route.js';
import { accessNotes } from '../application/entry-file.js';

const NAME = 'explain';

export const explainCommand: CliCommand = {
  name: NAME,
  usage: '[<username>] <method> <path>',
  summary: 'Explains whether a user may call a route, and what is missing.',
  details:
    'For example: kit-auth explain alice GET /v1/notes/5\n' +
    'It assumes that the user has just logged in, with a second factor if the user has one. A token that was issued before\n' +
    'may have the former roles: pass a token with --token-stdin instead of a username. It asks no policy, because a policy\n' +
    'needs a request. Guards, pipes and handlers of the application may refuse a request that kit-auth admits.',
  options: {
    'token-stdin': {
      type: 'boolean',
      description: 'read a token from standard input, instead of a username',
    },
    json: JSON_OPTION,
  },
  async run(context) {
    const { app, found, options, output } = context;
    const withToken = options['token-stdin'] === true;
    const [username, method, path] = argumentsOf(withToken ? ['', ...context.args] : context.args);
    const asked = askedRequest(method, path);
    const token = withToken ? await onlyLineOf(context.stdin, 'token') : undefined;
    const loaded = await app();
    accessNotes(found(), loaded).forEach((note) => output.note(note));
    const platform = loaded.get(HttpAdapterHost).httpAdapter.getType();
    const matched = findRoutes(loaded.get(RouteAccessReport).decided(), asked, platform);
    const caller: Caller = token === undefined ? { account: await context.user(username) } : { token };
    const explainer = new Explainer(loaded);
    const explanations: Explanation[] = [];
    for (const route of matched.routes) {
      explanations.push(await explainer.explain(route, matched.isPattern ? undefined : asked.path, caller));
    }
    noteOthers(matched, output);
    if (options['json'] === true) {
      output.json(explanations);
    } else {
      explanations.forEach((explanation) => print(explanation, output));
    }
  },
};

/** @throws CliError that shows what is missing, and how to write it */
function argumentsOf(args: readonly string[]): [username: string, method: string, path: string] {
  const [username = '', method = '', path = ''] = args.flatMap((arg, i) =>
    i === 0 ? [arg] : arg.split(' '),
  );
  if (path === '') {
    throw new CliError(
      `Name a user, a method and a path: kit-auth ${NAME} alice GET /v1/notes\n\`kit-auth routes\` lists the routes.`,
    );
  }
  return [username, method, path];
}

function noteOthers({ routes, others }: FoundRoutes, output: CliContext['output']): void {
  if (others.length > 0) {
    const list = others.map(({ method, path }) => `${method} ${path}`).join(', ');
    output.note(
      `Note: this path matches ${list} too. The router takes ${routes[0]?.method} ${routes[0]?.path}.`,
    );
  }
}

function print(
  { route, decidedBy, resolver, foreignIssuer, user, checks, answer }: Explanation,
  output: CliContext['output'],
): void {
  output.line(`${route.method} ${route.path} (${route.handler}): ${textOf(route)}`);
  output.line(`Decided by ${decidedBy}.`);
  if (resolver !== undefined) {
    output.line(`The token belongs to ${resolver}.${foreignIssuer === undefined ? '' : ` ${foreignIssuer}`}`);
  }
  if (user !== undefined) {
    output.line(userText(user));
  }
  output.line();
  for (const { result, requirement, note } of checks) {
    output.line(`${result.padEnd(7)}  ${requirement}${note === undefined ? '' : ` (${note})`}`);
  }
  output.line(`Answer: ${answerText(answer, user)}`);
}

function userText({
  userId,
  username,
  enabled,
  superAdmin,
  roles = [],
  permissions = [],
}: ExplainedUser): string {
  const who = `${username} (id ${userId})`;
  if (!enabled) {
    return `${who} is disabled.`;
  }
  if (superAdmin === true) {
    return `${who} is a super administrator, who has all roles and permissions.`;
  }
  return `${who} has ${listed('roles', roles)} and ${listed('permissions', permissions)}.`;
}

function listed(what: string, names: readonly string[]): string {
  return names.length === 0 ? `no ${what}` : `the ${what} ${names.join(', ')}`;
}

function answerText(answer: Answer, user: ExplainedUser | undefined): string {
  switch (answer.result) {
    case 'admitted':
      return user === undefined ? 'admitted. No token is needed.' : 'admitted.';
    case 'depends':
      return 'admitted, if the policies allow it.';
    case 'refused':
      return `${answer.code} ${answer.error}: ${answer.message}${answer.reason === undefined ? '' : ` (${answer.reason})`}.`;
  }
}
