import { ArrayUnique, IsEmail, IsEnum, IsNotEmpty, IsString } from 'class-validator';
import { Role } from '../generated/enums.js';

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
  @IsEnum(Role, { each: true })
  @ArrayUnique()
  roles: Role[];
}
