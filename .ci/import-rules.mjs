// Shows that the import rules of eslint.config.mjs can fail: each of these lines must be refused where it is tried.
import { ESLint } from 'eslint';

const FORBIDDEN = [
  ['packages/kit-auth/src/contract/settings.ts', "import '../rbac/auth-user.entity.js';"],
  ['packages/kit-auth/src/errors/auth.exception.ts', "import '../contract/settings.js';"],
  ['packages/kit-auth/src/guard/auth.guard.ts', "import '../rbac/auth-user.entity.js';"],
  ['packages/kit-auth/src/guard/auth.guard.ts', "import '../kit-auth.module.js';"],
  ['packages/kit-auth/src/guard/auth.guard.ts', "import 'typeorm';"],
  ['packages/kit-auth/src/rbac/credentials.ts', "import '../guard/auth.guard.js';"],
  ['packages/kit-auth/src/throttle/login.throttle.ts', "import '../rbac/auth-user.entity.js';"],
  ['packages/kit-auth/src/provider/auth.manager.ts', "import 'kit-auth-jwt';"],
  ['packages/kit-auth/src/provider/auth.manager.ts', "import '@nestjs/jwt';"],
  ['packages/kit-auth/src/kit-auth.module.ts', "import 'kit-auth-session';"],
  ['packages/kit-auth-jwt/src/jwt.provider.ts', "import { AuthManager } from 'kit-auth'; AuthManager;"],
  ['packages/kit-auth-jwt/src/jwt.provider.ts', "import 'kit-auth/dist/rbac/credentials.js';"],
  ['packages/kit-auth-jwt/src/jwt.provider.ts', "import 'kit-auth-session';"],
  ['packages/kit-auth-jwt/src/jwt.provider.ts', "import '@nestjs/typeorm';"],
  ['packages/kit-auth-admin/src/reach.ts', "import 'kit-auth-session';"],
  ['packages/kit-auth-session/src/session.provider.ts', "import 'kit-auth-jwt';"],
  ['packages/kit-auth-session/src/session.provider.ts', "import 'typeorm';"],
  ['packages/kit-auth-session/src/modes/stateful.mode.ts', "import 'redis';"],
  [
    'packages/kit-auth-session/src/stores/memory.session-store.ts',
    "import { AuthManager } from 'kit-auth'; AuthManager;",
  ],
  ['packages/kit-auth-session/src/stores/memory.session-store.ts', "import '@nestjs/jwt';"],
];

const eslint = new ESLint();
let accepted = 0;
for (const [filePath, line] of FORBIDDEN) {
  const [{ messages }] = await eslint.lintText(`${line}\n`, { filePath });
  if (!messages.some(({ ruleId }) => ruleId === 'no-restricted-imports')) {
    console.error(`accepted in ${filePath}: ${line}`);
    accepted++;
  }
}
console.log(`${FORBIDDEN.length - accepted} of ${FORBIDDEN.length} forbidden imports are refused`);
process.exit(accepted === 0 ? 0 : 1);
