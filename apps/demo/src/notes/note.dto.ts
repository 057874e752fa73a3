import { ApiProperty, PartialType } from '@nestjs/swagger';
import { IsBoolean, IsString, Matches, ValidateIf } from 'class-validator';
import { IsDisplayName } from 'kit-auth/class-validator';

/** Counts characters like databases, unlike `MaxLength`, and refuses NUL, which PostgreSQL cannot store. */
function AtMost(characters: number): PropertyDecorator {
  return Matches(new RegExp(`^[^\\0]{0,${characters}}$`, 'u'), {
    message: `$property must have at most ${characters} characters, none of them NUL`,
  });
}

export class CreateNoteDto {
  @ApiProperty({ maxLength: 200, example: 'Groceries' })
  @IsDisplayName(400) // in UTF-16, where an emoji counts twice
  @AtMost(200)
  title!: string;

  @ApiProperty({ maxLength: 10_000, example: 'Milk, bread' })
  @IsString()
  @AtMost(10_000)
  text!: string;

  @ApiProperty({ required: false, description: 'Whether everybody may read it' })
  @ValidateIf((_note, value) => value !== undefined)
  @IsBoolean()
  published?: boolean;
}

export class UpdateNoteDto extends PartialType(CreateNoteDto, { skipNullProperties: false }) {}
