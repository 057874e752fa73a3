/** A number of a signature with P-256. */
const BYTES = 32;

/**
 * The fixed form of an ECDSA signature (RFC 7518 section 3.4) that is in DER: a sequence of two integers, which may have
 * a leading zero, or be shorter.
 *
 * @returns undefined for anything else
 */
export function fixedForm(der: Buffer): Buffer | undefined {
  const endOfR = 4 + (der[3] ?? 0);
  const numbers = [der.subarray(4, endOfR), der.subarray(endOfR + 2)];
  const isSequence = der[0] === 0x30 && der[1] === der.length - 2;
  const areIntegers = der[2] === 2 && der[endOfR] === 2 && der[endOfR + 1] === numbers[1]?.length;
  const padded = numbers.map((number) => Buffer.concat([Buffer.alloc(BYTES), number]).subarray(-BYTES));
  const areShort = numbers.every((number) => number.subarray(0, -BYTES).every((byte) => byte === 0));
  return isSequence && areIntegers && areShort ? Buffer.concat(padded) : undefined;
}
