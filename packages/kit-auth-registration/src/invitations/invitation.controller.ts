import { Delete, Get, Header, HttpCode, HttpStatus, Param, Post, Req } from '@nestjs/common';
import { RequirePermissions } from 'kit-auth';
import { type JsonRequest, KitAuthController, readJsonObject } from 'kit-auth/extend';
import { readAddress } from 'kit-auth-email/extend';
import { readLocale, readNickname, readRoles } from '../input/bodies.js';
import { INVITE_PERMISSION } from '../roles/invitation-roles.js';
import { Invitations, type InvitationView, type SentInvitation } from './invitations.js';

@KitAuthController('invitations')
export class KitAuthInvitationController {
  constructor(private readonly invitations: Invitations) {}

  @Post()
  @RequirePermissions(INVITE_PERMISSION)
  @Header('Cache-Control', 'no-store')
  invite(@Req() request: JsonRequest): Promise<SentInvitation> {
    const address = readAddress(request);
    const body = readJsonObject(request);
    return this.invitations.invite({
      address,
      nickname: readNickname(body),
      roles: readRoles(body),
      locale: readLocale(body),
    });
  }

  @Get()
  @RequirePermissions(INVITE_PERMISSION)
  @Header('Cache-Control', 'no-store')
  list(): Promise<InvitationView[]> {
    return this.invitations.list();
  }

  @Delete(':id')
  @RequirePermissions(INVITE_PERMISSION)
  @HttpCode(HttpStatus.NO_CONTENT)
  end(@Param('id') id: string): Promise<void> {
    return this.invitations.end(id);
  }
}
