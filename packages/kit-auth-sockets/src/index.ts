export type { KitAuthSocketsOptions, TokenPlace } from './sockets.options.js';
export type { SocketVia } from './connections/handshake.js';
export { type CloseOptions, type OpenSocket, SocketRegistry } from './connections/socket.registry.js';
export type { SocketCloseCode, SocketEnd } from './connections/socket-end.js';
export { kitAuthAdapter } from './gateways/gateway.adapter.js';
export {
  type GraphqlWsConnection,
  GraphqlSubscriptions,
  type GraphqlWsHooks,
  type MercuriusHooks,
} from './graphql/graphql.subscriptions.js';
export { KitAuthSocketsModule } from './kit-auth-sockets.module.js';
