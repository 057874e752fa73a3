import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import type { Observable } from 'rxjs';

/** Stands for AuthGuard('jwt'). The guard of kit-auth runs earlier: it has read the token and set request.user. */
@Injectable()
export class JwtAuthGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> | Observable<boolean> {
    return this.handle(context);
  }

  getRequest(context: ExecutionContext): any {
    return context.switchToHttp().getRequest();
  }

  handleRequest(error: any, user: any, info?: any, context?: ExecutionContext, status?: any): any;
  handleRequest(error: any, user: any): any {
    if (error || !user) {
      throw error ?? new UnauthorizedException();
    }
    return user;
  }

  private async handle(context: ExecutionContext): Promise<boolean> {
    const request = this.getRequest(context);
    request.user = await this.handleRequest(null, request.user ?? false, undefined, context);
    return true;
  }
}
