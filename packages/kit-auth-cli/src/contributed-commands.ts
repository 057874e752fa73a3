import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AUTH_COMMAND, type AuthCommand } from 'kit-auth';
import { contributionsTo, usable } from 'kit-auth/cli';

/** The commands that modules of an application contribute. @throws IllegalStateException for one that cannot be used */
export function contributedCommands(app: INestApplication): AuthCommand[] {
  return contributionsTo(app.get(DiscoveryService), AUTH_COMMAND).map((contribution) =>
    usable<AuthCommand>(contribution, 'AuthCommand', ['run']),
  );
}
