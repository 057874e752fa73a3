import { Injectable, Inject, type Type } from '@nestjs/common';
import { isOpen, MessageExplorer, PROTECTED, readsToken, type RouteRule, RouteRules } from 'kit-auth/tools';
import { type ResolvedSocketsOptions, socketsOptions } from '../sockets.options.js';
import type { ServerRule } from '../connections/handshake.js';

/** Metadata keys of @nestjs/websockets, an optional package. */
const OPTIONS = 'websockets:gateway_options';
const PORT = 'port';

interface GatewayOptions {
  readonly path?: unknown;
  readonly namespace?: unknown;
}

/** Knows which gateways share a server, and so a handshake. */
@Injectable()
export class GatewayRules {
  private readonly byServer = new Map<object, { gateways: Set<Type>; rule?: ServerRule }>();

  constructor(
    private readonly explorer: MessageExplorer,
    private readonly routes: RouteRules,
    @Inject(socketsOptions.token) private readonly options: ResolvedSocketsOptions,
  ) {}

  /** Called with each server that the adapter of the application creates. */
  note(server: object, port: number, options: GatewayOptions): void {
    const known = this.byServer.get(server) ?? { gateways: new Set<Type>() };
    this.explorer
      .gateways()
      .filter((gateway) => isOn(gateway, port, options))
      .forEach((gateway) => known.gateways.add(gateway));
    this.byServer.set(server, { gateways: known.gateways });
  }

  of(server: object): ServerRule {
    const known = this.byServer.get(server) ?? { gateways: new Set<Type>() };
    known.rule ??= this.ruleOf([...known.gateways]);
    this.byServer.set(server, known);
    return known.rule;
  }

  private ruleOf(gateways: readonly Type[]): ServerRule {
    const rules = gateways.map((gateway) => ({ gateway, rule: this.ruleOfGateway(gateway) }));
    const all = rules.flatMap(({ gateway, rule }) => [rule, ...this.rulesOfHandlers(gateway)]);
    const isBare = rules.length === 0 && this.areProtected();
    return {
      name: gateways.map(({ name }) => name).join(', ') || 'a namespace without a gateway',
      needsToken: isBare || rules.some(({ rule }) => !isOpen(rule)),
      readsToken: isBare || all.some(readsToken),
      ignoresInvalid: all.some(({ optional }) => optional?.invalid === 'anonymous'),
      gateways: rules,
    };
  }

  private ruleOfGateway(gateway: Type): RouteRule {
    const decorated = this.routes.connectionRuleOf(gateway);
    const isClosed =
      this.areProtected() || this.rulesOfHandlers(gateway).some(({ decision }) => decision === 'token');
    return decorated ?? (isClosed ? PROTECTED : { ...PROTECTED, decision: 'open by default' });
  }

  private areProtected(): boolean {
    return this.options.settings.gateways === 'protected';
  }

  private rulesOfHandlers(gateway: Type): RouteRule[] {
    return this.explorer
      .handlers()
      .filter(({ controller }) => controller === gateway)
      .flatMap(({ handler }) => this.routes.messageRuleOf(gateway, handler) ?? []);
  }
}

function isOn(gateway: Type, port: number, { path, namespace }: GatewayOptions): boolean {
  const options = (Reflect.getMetadata(OPTIONS, gateway) ?? {}) as GatewayOptions;
  return (
    ((Reflect.getMetadata(PORT, gateway) as number | undefined) ?? 0) === port &&
    options.path === path &&
    namespaceOf(options.namespace) === namespaceOf(namespace)
  );
}

/** Nest adds a slash to the beginning of a string. */
function namespaceOf(namespace: unknown): unknown {
  if (typeof namespace !== 'string') {
    return namespace;
  }
  return namespace === '' || namespace.startsWith('/') ? namespace || undefined : `/${namespace}`;
}
