export { AccountChanges, type ChangeQueue, type TypeOrmChange } from './users/typeorm/account-changes.js';
export { AuthRole, SUPER_ADMIN } from './users/typeorm/auth-role.entity.js';
export { AuthUser, AuthUserStatus, newSecurityStamp } from './users/typeorm/auth-user.entity.js';
export { writeInTurn } from './users/typeorm/current-change.js';
export { junctionTable, type JunctionTable } from './users/typeorm/junction-table.js';
export { type LoadJoined, LoginUserLoader } from './users/typeorm/login-user.loader.js';
export { milliseconds } from './users/typeorm/milliseconds.js';
export { isUnusableText, noneIfUnusable } from './users/typeorm/unusable-text.js';
export { writePassword, type WrittenPassword } from './users/typeorm/write-password.js';
