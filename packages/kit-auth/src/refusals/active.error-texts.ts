import { type ArgumentsHost, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { addVary, storage } from '../context/kit-auth.context.js';
import { ErrorTexts } from '../contract/error-texts.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import type { TransportRequest } from '../contract/token-transport.js';
import {
  type AuthErrorBody,
  type AuthException,
  nodeResponseOf,
  setHeader,
} from '../errors/auth.exception.js';
import { describeError, kindOf, stackOf } from '../errors/describe.js';
import { Ports, transportRequestOf } from '../ports/ports.js';
import { ERROR_TEXTS, type ErrorText, type ErrorTextSource } from './error-text.source.js';

const ACCEPT_LANGUAGE = 'Accept-Language';

type PlatformResponse = Parameters<typeof addVary>[0];

/** Asks the contribution to `ERROR_TEXTS`, if there is one. */
@Injectable()
export class ActiveErrorTexts extends ErrorTexts implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');
  private source: ErrorTextSource | undefined;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly ports: Ports,
  ) {
    super();
  }

  /** @throws IllegalStateException for several contributions, or one that does not implement the port */
  onModuleInit(): void {
    if (this.settings.enabled) {
      this.source = this.ports.only<ErrorTextSource>(ERROR_TEXTS, 'ErrorTextSource', [
        'textOf',
        'languageOf',
      ]);
    }
  }

  of(exception: AuthException, host?: ArgumentsHost): AuthErrorBody {
    return this.bodyOf(exception, host) ?? (exception.getResponse() as AuthErrorBody);
  }

  language(): string | undefined {
    return this.attempt((source) => source.languageOf(requestOf(undefined), storage.getStore()?.user));
  }

  translated(exception: AuthException, host: ArgumentsHost): AuthException {
    const body = this.bodyOf(exception, host);
    return body === undefined ? exception : withBody(exception, body);
  }

  private bodyOf(exception: AuthException, host: ArgumentsHost | undefined): AuthErrorBody | undefined {
    if (this.source === undefined) {
      return undefined;
    }
    const body = exception.getResponse() as AuthErrorBody;
    if ('text' in body || 'language' in body) {
      return undefined;
    }
    const text = this.attempt((source) => {
      const found = source.textOf(exception, requestOf(host), storage.getStore()?.user);
      requireText(found);
      return found;
    });
    if (text === undefined) {
      return undefined;
    }
    note(text.language, host);
    return Object.assign({}, body, text); // less than half the cost of a spread, here
  }

  private attempt<T>(work: (source: ErrorTextSource) => T): T | undefined {
    try {
      return this.source && work(this.source);
    } catch (error) {
      this.logger.error(`[auth] the ErrorTextSource failed: ${describeError(error)}`, ...stackOf(error));
      return undefined;
    }
  }
}

/** @throws TypeError for anything but a text and undefined, such as a promise */
function requireText(found: ErrorText | undefined): void {
  if (found !== undefined && typeof (found as Partial<ErrorText> | null)?.language !== 'string') {
    throw new TypeError(
      `textOf() returned ${kindOf(found)} instead of a text with its language, or undefined`,
    );
  }
}

function isHttp(host: ArgumentsHost): boolean {
  return host.getType() === 'http';
}

/** The parsers of bodies fail before the request has a context. */
function requestOf(host: ArgumentsHost | undefined): TransportRequest | undefined {
  const request = host && isHttp(host) ? host.getArgByIndex<object>(0) : storage.getStore()?.request;
  return request && transportRequestOf(request);
}

/** Sets the headers of the answer. That of a GraphQL server has more in it than errors. */
function note(language: string, host: ArgumentsHost | undefined): void {
  const response =
    host && isHttp(host) ? host.getArgByIndex<PlatformResponse>(1) : storage.getStore()?.response;
  if (response !== undefined && !nodeResponseOf(response).headersSent) {
    addVary(response, [ACCEPT_LANGUAGE]);
    if (host === undefined || isHttp(host)) {
      setHeader(response, 'Content-Language', language);
    }
  }
}

/**
 * A copy with another body. The exception itself does not change, because requests that wait for one look-up share it.
 * `Object.create(exception)` costs ten times as much.
 */
function withBody(exception: AuthException, response: AuthErrorBody): AuthException {
  const copy = Object.create(Object.getPrototypeOf(exception) as object) as AuthException;
  Object.defineProperty(copy, 'stack', { get: () => exception.stack, configurable: true });
  return Object.assign(copy, exception, { response, message: response.message });
}
