import { ArrayUnique, IsEmail, IsNotEmpty, IsString } from 'class-validator';

export class SignUpDto {
  @IsEmail()
  email: string;

  @IsString()
  @IsNotEmpty()
  firstName: string;

  @IsString()
  @IsNotEmpty()
  lastName: string;

  @IsString()
  password: string;
}

export class RolesDto {
  @IsString({ each: true })
  @ArrayUnique()
  roles: string[];
}
