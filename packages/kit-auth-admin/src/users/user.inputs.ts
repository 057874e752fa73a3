import { AuthUserStatus } from 'kit-auth/typeorm';
import { IsIn, IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { IsListOf, IsName, MayBeAbsent } from '../input/validators.js';
import { isRoleCode } from '../roles/role.inputs.js';

const STATUSES = Object.values(AuthUserStatus);

export class CreateUser {
  @IsName(255)
  username!: string;

  /** What it may be is the password policy's to say. */
  @MaxLength(1024)
  @IsNotEmpty()
  @IsString()
  password!: string;

  @IsName(255)
  @MayBeAbsent()
  nickname?: string;

  @IsListOf('codes of roles', isRoleCode)
  @MayBeAbsent()
  roles?: string[];

  @IsIn(STATUSES)
  @MayBeAbsent()
  status?: AuthUserStatus;
}

export class ChangeUser {
  @IsName(255)
  @MayBeAbsent()
  nickname?: string;

  @IsIn(STATUSES)
  @MayBeAbsent()
  status?: AuthUserStatus;
}

export class ChangeUserRoles {
  @IsListOf('codes of roles', isRoleCode)
  roles!: string[];
}

export class ResetPassword {
  @MaxLength(1024)
  @IsNotEmpty()
  @IsString()
  newPassword!: string;
}
