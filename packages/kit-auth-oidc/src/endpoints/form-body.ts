/** A request after the platform's parser for forms. */
export interface FormRequest {
  readonly body?: unknown;
}

/** A member of a form. Undefined if the request has none, or more than one. */
export function formTextOf({ body }: FormRequest, name: string): string | undefined {
  const isForm = typeof body === 'object' && body !== null && Object.hasOwn(body, name);
  const value = isForm ? (body as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
