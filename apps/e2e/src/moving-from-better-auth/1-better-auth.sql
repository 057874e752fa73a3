-- What better-auth 1.7 creates on PostgreSQL, with three accounts that it has made.
create table "user" (
  "id" text primary key,
  "name" text not null,
  "email" text not null unique,
  "emailVerified" boolean not null,
  "image" text,
  "createdAt" timestamptz not null default current_timestamp,
  "updatedAt" timestamptz not null default current_timestamp
);
create table "session" (
  "id" text primary key,
  "expiresAt" timestamptz not null,
  "token" text not null unique,
  "createdAt" timestamptz not null default current_timestamp,
  "updatedAt" timestamptz not null,
  "ipAddress" text,
  "userAgent" text,
  "userId" text not null references "user" ("id") on delete cascade
);
create table "account" (
  "id" text primary key,
  "accountId" text not null,
  "providerId" text not null,
  "userId" text not null references "user" ("id") on delete cascade,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" timestamptz,
  "refreshTokenExpiresAt" timestamptz,
  "scope" text,
  "password" text,
  "createdAt" timestamptz not null default current_timestamp,
  "updatedAt" timestamptz not null
);
create table "verification" (
  "id" text primary key,
  "identifier" text not null,
  "value" text not null,
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz not null default current_timestamp,
  "updatedAt" timestamptz not null default current_timestamp
);
insert into "user" ("id", "name", "email", "emailVerified") values
  ('gXnmdML7e2ffE3lHYStU7bp4CRwVuPoN', 'Ada Lovelace', 'ada@example.com', true),
  ('qN2pVxwqjyCJUPQAe7tmIB30DofGIP84', 'Bob', 'bob@example.com', false),
  ('eQxFFGN7locviRv3lJyqQUM8qGUMs1JJ', 'Eve', 'eve@example.com', true);
-- The passwords are "correct horse 1" and "pässwörd ﬁ long".
insert into "account" ("id", "accountId", "providerId", "userId", "password", "updatedAt") values
  ('a1', 'gXnmdML7e2ffE3lHYStU7bp4CRwVuPoN', 'credential', 'gXnmdML7e2ffE3lHYStU7bp4CRwVuPoN',
   '7561da98fa0e306feeb5566263dff2a3:c74d064d0e2a15965abe0ac62fab93b8071d17cda796b7b478da4b7aa59f1b5d48e2c1684d4e1fb0b77a525fbcd26343301ee643b3d387b391b9634c2a543add', now()),
  ('a2', 'qN2pVxwqjyCJUPQAe7tmIB30DofGIP84', 'credential', 'qN2pVxwqjyCJUPQAe7tmIB30DofGIP84',
   'cb32c04ffe83ad8e717d419cf4208422:f7211a6b4885d3421a85e15bb7853e0d9200dfabad73f29b9e7a2b57759a8b5a401ddbfa6c7befe7a848a1b35112cdb17cc578a1d0ddd86b6057ee5daf311d08', now()),
  ('a3', '1234', 'google', 'eQxFFGN7locviRv3lJyqQUM8qGUMs1JJ', null, now());
