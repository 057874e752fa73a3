/** Placeholders for secrets in documents and templates. */
const PLACEHOLDER =
  /change[\W_]*(?:me|this|it)|replace[\W_]*(?:me|this|with)|do[\W_]*not[\W_]*use|your.{0,32}secret|placeholder|example|super[\W_]*secret/i;
const FEWEST_CHARACTERS = 6;
const LONGEST_UNIT = 16;

/**
 * Returns why a secret is easy to guess, such as "is a sequence", without quoting it. Undefined for a secret
 * that may be random: a random one of 32 characters never has these properties.
 */
export function guessableBecause(secret: string): string | undefined {
  if (PLACEHOLDER.test(secret)) {
    return 'contains a placeholder, such as "change-me"';
  }
  if (new Set(secret).size < FEWEST_CHARACTERS) {
    return 'consists of very few different characters';
  }
  if (repeatsItself(secret)) {
    return 'repeats a few characters again and again';
  }
  return isSequence(secret) ? 'is a sequence, such as "0123456789"' : undefined;
}

/** Whether the secret repeats a short string. The last repetition may be cut off. */
function repeatsItself(secret: string): boolean {
  const longest = Math.min(LONGEST_UNIT, Math.floor(secret.length / 2));
  return Array.from({ length: longest }, (_, i) => secret.slice(0, i + 1)).some(
    (unit) => unit.repeat(Math.ceil(secret.length / unit.length)).slice(0, secret.length) === secret,
  );
}

/** Whether most characters are the same as their neighbor, or follow it. */
function isSequence(secret: string): boolean {
  const steps = Array.from(secret.slice(1), (_, i) => secret.charCodeAt(i + 1) - secret.charCodeAt(i));
  return steps.filter((step) => Math.abs(step) <= 1).length > steps.length / 2;
}
