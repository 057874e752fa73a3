import { AUTH_BUS, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import {
  authFeature,
  type FeatureDefinition,
  type FeatureModule,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';
import { ServerBus, type Wire } from './server.bus.js';

interface BusSettings {
  readonly channelPrefix: string;
}
type BusDefinition = Required<FeatureDefinition>['options'] & {
  readonly token: symbol;
  resolve(): ResolvedOptions<BusSettings>;
};

/** PostgreSQL allows 63 bytes in the name of a channel. */
const PREFIX = /^[\w:.-]{1,32}$/;

/** @returns the rest of the error message */
export function prefixProblem(value: string): string | undefined {
  return PREFIX.test(value) ? undefined : 'must have 1 to 32 characters: letters, digits, and any of _ : . -';
}

/** @returns the rest of the error message, without the value, which contains a password */
export function urlProblem(value: string, protocols: readonly string[], example: string): string | undefined {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol)
    ? undefined
    : `must be like ${example}. In the password, use encodeURIComponent() for characters such as / and #`;
}

/**
 * Makes the module of a bus on a server.
 *
 * @param server its name, for messages
 * @param prepare loads the package of the server. Returns a function that creates wires
 */
export function busFeature<Options, Definition extends BusDefinition>(
  name: string,
  server: string,
  options: Definition,
  prepare: (settings: SettingsOf<Definition>) => Promise<() => Wire>,
): FeatureModule<Options> {
  return authFeature<Options>(name, {
    options,
    needs: { many: true }, // `AUTH_BUS` has a more precise message for two.
    providers: [
      {
        provide: AUTH_BUS,
        useFactory: (
          { settings, problems }: ResolvedOptions<BusSettings & SettingsOf<Definition>>,
          { enabled }: KitAuthSettings,
        ) =>
          new ServerBus(server, settings.channelPrefix, enabled && problems.length === 0, () =>
            prepare(settings),
          ),
        inject: [options.token, KIT_AUTH_SETTINGS],
      },
    ],
  });
}
