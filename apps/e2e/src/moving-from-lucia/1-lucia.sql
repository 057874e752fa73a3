-- The tables of Lucia's guides for PostgreSQL, with three accounts that Lucia 3.2 and @node-rs/argon2 have made.
create table "user" (
  "id" text primary key,
  "email" text not null unique,
  "password_hash" text
);
create table "session" (
  "id" text primary key,
  "expires_at" timestamptz not null,
  "user_id" text not null references "user" ("id")
);
create table "oauth_account" (
  "provider_id" text not null,
  "provider_user_id" text not null,
  "user_id" text not null references "user" ("id"),
  primary key ("provider_id", "provider_user_id")
);
-- The passwords are "correct horse 1", hashed with argon2id, and "pässwörd ﬁ long", hashed with the class Scrypt of Lucia.
insert into "user" ("id", "email", "password_hash") values
  ('axsogaih7euoyxpp', 'ada@example.com',
   '$argon2id$v=19$m=19456,t=2,p=1$xQp/lpB/+CFYgYBBi9qPPA$xGDIEe2LaJvkkfLyTBNGIUIjM8G0g1py86A90XK1sAU'),
  ('hwvub54r237puaix', 'bob@example.com',
   '2240cbc32003b9e9041c0855eca3c569:b462cebfb0ce8e74ef05ef6098debb44e3bb780e048f193ac406cad1618c5e6918add0e9aa4d6a0bef3bb26ee319f488717372e0c51917872d42d332520e003a'),
  ('vsdrozmxlqyiyjho', 'eve@example.com', null);
insert into "oauth_account" ("provider_id", "provider_user_id", "user_id") values ('github', '1234', 'vsdrozmxlqyiyjho');
insert into "session" ("id", "expires_at", "user_id") values
  ('y6jpravu6nmaxc44x3ggmryhdbgihafdpd2u7ct2', now() + interval '30 days', 'axsogaih7euoyxpp');
