import { ArrayUnique, IsIn, IsNotEmpty, IsString } from 'class-validator';
import { ROLES } from './member.entity';

export class NewMember {
  @IsString()
  @IsNotEmpty()
  login: string;

  @IsString()
  @IsNotEmpty()
  displayName: string;

  @IsString()
  password: string;

  @IsIn(ROLES, { each: true })
  @ArrayUnique()
  roles: string[];
}
