import { applyDecorators, Controller, UseGuards, UseInterceptors, VERSION_NEUTRAL } from '@nestjs/common';
import { OnlyWhenEnabled, DependencyFailureInterceptor } from 'kit-auth/extend';

/** A controller beside those of the core, under `/v1/api/auth` whatever versioning the application has. */
export function AdminController(path: string): ClassDecorator {
  return applyDecorators(
    Controller({ path: `v1/api/auth/${path}`, version: VERSION_NEUTRAL }),
    UseGuards(OnlyWhenEnabled),
    UseInterceptors(DependencyFailureInterceptor),
  );
}
