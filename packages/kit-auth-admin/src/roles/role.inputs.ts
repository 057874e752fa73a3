import { isPermission } from 'kit-auth';
import { isRoleCode } from 'kit-auth/typeorm';
import { IsListOf, IsName, MayBeAbsent, IsText } from '../input/validators.js';

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
