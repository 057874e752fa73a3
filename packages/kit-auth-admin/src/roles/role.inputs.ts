import { isPermission } from 'kit-auth';
import { IsListOf, IsName, MayBeAbsent, IsText } from '../input/validators.js';

const ROLE_CODE = /^[A-Za-z0-9][\w.-]{0,63}$/;

export function isRoleCode(text: string): boolean {
  return ROLE_CODE.test(text);
}

class RoleGrants {
  @IsListOf('permissions such as "note:read" or "note:*"', isPermission)
  @MayBeAbsent()
  permissions?: string[];

  @IsListOf('role codes', isRoleCode)
  @MayBeAbsent()
  includes?: string[];
}

export class CreateRole extends RoleGrants {
  @IsText('1 to 64 letters, digits, ".", "_" or "-"', isRoleCode)
  code!: string;

  @IsName(255)
  name!: string;
}

export class ChangeRole extends RoleGrants {
  @IsName(255)
  @MayBeAbsent()
  name?: string;
}
