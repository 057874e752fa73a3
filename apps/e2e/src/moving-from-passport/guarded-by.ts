import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  ForbiddenException,
  Get,
  Injectable,
  Req,
  SetMetadata,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { OptionalUser, Public } from 'kit-auth';
import type { User } from './1-before/users.service.js';

type Base = Type<
  CanActivate & {
    getRequest(context: ExecutionContext): any;
    handleRequest(error: any, user: any, info: any, context: ExecutionContext, status?: any): any;
  }
>;

const Roles = (...roles: string[]) => SetMetadata('roles', roles);

/**
 * Guards as applications derive them from AuthGuard('jwt') of passport, and a controller with all of them.
 *
 * @param AuthGuard that of passport, or the class that stands for it
 */
export function guardedBy(AuthGuard: Base): Type {
  /** Awaits the base, then judges the user. */
  @Injectable()
  class AdminGuard extends AuthGuard {
    override async canActivate(context: ExecutionContext): Promise<boolean> {
      if ((await super.canActivate(context)) !== true) {
        return false;
      }
      return this.getRequest(context).user.roles.includes('admin');
    }
  }

  /** Injects something, and judges the user with it. */
  @Injectable()
  class RolesGuard extends AuthGuard {
    constructor(private readonly reflector: Reflector) {
      super();
    }

    override async canActivate(context: ExecutionContext): Promise<boolean> {
      await super.canActivate(context);
      const roles = this.reflector.get<string[]>('roles', context.getHandler());
      return roles.every((role) => this.getRequest(context).user.roles.includes(role));
    }
  }

  /** Admits requests without a user. */
  @Injectable()
  class OptionalGuard extends AuthGuard {
    override handleRequest(_error: unknown, user: User | false) {
      return user || null;
    }
  }

  /** Judges the user in handleRequest(). */
  @Injectable()
  class CompanyGuard extends AuthGuard {
    override handleRequest(error: any, user: any, info: any, context: ExecutionContext) {
      const found = super.handleRequest(error, user, info, context);
      if (found.email !== 'ada@example.com') {
        throw new ForbiddenException('another company');
      }
      return { ...found, company: 'Analytical Engines' };
    }
  }

  /** Returns what the base returns, and finds the request elsewhere, as for GraphQL. */
  @Injectable()
  class OtherRequestGuard extends AuthGuard {
    override canActivate(context: ExecutionContext) {
      return super.canActivate(context);
    }

    override getRequest(context: ExecutionContext) {
      return context.getArgs<[object]>()[0];
    }
  }

  @Controller('guarded')
  class GuardedController {
    @Get('admin') @UseGuards(AdminGuard) admin(@Req() { user }: { user: User }) {
      return user.id;
    }
    @Get('roles') @Roles('admin') @UseGuards(RolesGuard) roles(@Req() { user }: { user: User }) {
      return user.id;
    }
    @Get('optional') @OptionalUser({ invalid: 'anonymous' }) @UseGuards(OptionalGuard) optional(
      @Req() { user }: { user: User | null },
    ) {
      return user === null ? 'nobody' : user.id;
    }
    @Get('company') @UseGuards(CompanyGuard) company(@Req() { user }: { user: { company: string } }) {
      return user.company;
    }
    @Get('other') @UseGuards(OtherRequestGuard) other(@Req() { user }: { user: User }) {
      return user.email;
    }
    /** A route that kit-auth leaves open. */
    @Get('open') @Public() @UseGuards(OtherRequestGuard) open() {}
  }
  return GuardedController;
}
