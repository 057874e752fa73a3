alter table "user"
  add column "nickname" text,
  add column "disabled" boolean not null default false,
  add column "roles" text[] not null default '{}',
  add column "security_stamp" varchar(36) not null default gen_random_uuid()::text;

-- The first administrator:
update "user" set "roles" = '{admin}' where "email" = 'ada@example.com';
