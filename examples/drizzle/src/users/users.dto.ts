import { ArrayUnique, IsEmail, IsIn, IsNotEmpty, IsString } from 'class-validator';
import { type Role, role } from '../database/schema.js';

export class SignUpDto {
  @IsEmail()
  email: string;

  @IsString()
  @IsNotEmpty()
  fullName: string;

  @IsString()
  password: string;
}

export class RolesDto {
  @IsIn(role.enumValues, { each: true })
  @ArrayUnique()
  roles: Role[];
}
