import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AUTH_COMMAND, type AuthCommand } from '../contract/auth-command.js';
import { contributionsTo } from '../ports/contribution.js';
import { usable } from '../ports/port.check.js';

/** The commands that modules of an application contribute. @throws IllegalStateException for one that cannot be used */
export function contributedCommands(app: INestApplication): AuthCommand[] {
  return contributionsTo(app.get(DiscoveryService), AUTH_COMMAND).map((contribution) =>
    usable<AuthCommand>(contribution, 'AuthCommand', ['run']),
  );
}
