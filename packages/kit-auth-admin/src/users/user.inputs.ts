import { AuthUserStatus, isRoleCode } from 'kit-auth/typeorm';
import { IsIn, IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { IsListOf, IsName, MayBeAbsent } from '../input/validators.js';

export class ChangeUser {
  @IsName(255)
  @MayBeAbsent()
  nickname?: string;

  @IsIn(Object.values(AuthUserStatus))
  @MayBeAbsent()
  status?: AuthUserStatus;
}

export class CreateUser extends ChangeUser {
  @IsName(255)
  username!: string;

  /** The password policy decides what is allowed. */
  @MaxLength(1024)
  @IsNotEmpty()
  @IsString()
  password!: string;

  @IsListOf('role codes', isRoleCode)
  @MayBeAbsent()
  roles?: string[];
}

export class ChangeUserRoles {
  @IsListOf('role codes', isRoleCode)
  roles!: string[];
}

export class ResetPassword {
  @MaxLength(1024)
  @IsNotEmpty()
  @IsString()
  newPassword!: string;
}
