export interface KitAuthAdminOptions {
  /** How long the audit log keeps an event, in whole days, 1 to 3650. Default `365`. */
  auditRetentionDays?: number | undefined;
}

/** @internal */
export const ADMIN_OPTIONS = Symbol('kit-auth-admin.options');
