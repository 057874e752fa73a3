import { applyDecorators, Controller, SetMetadata, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { Public } from '../routes/require.decorators.js';
import { OURS } from '../routes/route-rule.js';
import { OnlyWhenEnabled } from './controller.js';

/** The metadata of `@ApiExcludeController()` of @nestjs/swagger, which this package does not depend on. */
const NOT_IN_DOCUMENTS = 'swagger/apiExcludeController';

/**
 * A controller of a page that a package serves, without a token. A global prefix and `RouterModule` of Nest change its paths, but
 * versioning does not. The page answers 404 while `kit.auth.enabled` is false. OpenAPI documents leave it out.
 *
 * @example
 * ```ts
 * @OwnPageController()
 * export class HelpController {}
 * ```
 */
export function OwnPageController(): ClassDecorator {
  return applyDecorators(
    Controller({ path: '', version: VERSION_NEUTRAL }),
    SetMetadata(OURS, true),
    Public(),
    SetMetadata(NOT_IN_DOCUMENTS, [true]),
    UseGuards(OnlyWhenEnabled),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a string for HTML, also in the value of an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
