export { AuthSession } from './stores/auth-session.entity.js';
