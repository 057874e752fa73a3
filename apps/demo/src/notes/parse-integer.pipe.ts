import { Injectable, ParseIntPipe } from '@nestjs/common';

const MAX_INTEGER = 2 ** 31 - 1;

/** A whole number that fits into an `integer` column, which is 32 bits on PostgreSQL and MySQL. */
@Injectable()
export class ParseIntegerPipe extends ParseIntPipe {
  protected override isNumeric(value: string): boolean {
    return super.isNumeric(value) && Math.abs(Number(value)) <= MAX_INTEGER;
  }
}
