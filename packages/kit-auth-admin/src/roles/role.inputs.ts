import { isPermission } from 'kit-auth';
import { IsListOf, IsName, MayBeAbsent, Passes } from '../input/validators.js';

const ROLE_CODE = /^[A-Za-z0-9][\w.-]{0,63}$/;

export function isRoleCode(text: string): boolean {
  return ROLE_CODE.test(text);
}

export class CreateRole {
  @Passes('1 to 64 letters, digits, ".", "_" or "-"', isRoleCode)
  code!: string;

  @IsName(255)
  name!: string;

  @IsListOf('permissions such as "note:read" or "note:*"', isPermission)
  @MayBeAbsent()
  permissions?: string[];

  @IsListOf('codes of roles', isRoleCode)
  @MayBeAbsent()
  includes?: string[];
}

export class ChangeRole {
  @IsName(255)
  @MayBeAbsent()
  name?: string;

  @IsListOf('permissions such as "note:read" or "note:*"', isPermission)
  @MayBeAbsent()
  permissions?: string[];

  @IsListOf('codes of roles', isRoleCode)
  @MayBeAbsent()
  includes?: string[];
}
