export type { KitAuthSessionOptions } from './session.options.js';
export { KitAuthSessionModule } from './kit-auth-session.module.js';
export { SessionManager } from './session.manager.js';
export { mergeEnds } from './stores/ends-of-all.js';
export { MemorySessionStore } from './stores/memory.session-store.js';
export {
  type EndOfAll,
  REMEMBERED_MS,
  type Session,
  type SessionEnd,
  type SessionLimit,
  type SessionStore,
  type SparedSession,
  type StoredSession,
} from './stores/session-store.js';
