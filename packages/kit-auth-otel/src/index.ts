export { KitAuthOtelModule } from './kit-auth-otel.module.js';
