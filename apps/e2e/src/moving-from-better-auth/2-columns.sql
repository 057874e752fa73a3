alter table "user"
  add column "disabled" boolean not null default false,
  add column "roles" text[] not null default '{}',
  add column "securityStamp" varchar(36) not null default gen_random_uuid()::text;

-- The first administrator:
update "user" set "roles" = '{admin}' where "email" = 'ada@example.com';
