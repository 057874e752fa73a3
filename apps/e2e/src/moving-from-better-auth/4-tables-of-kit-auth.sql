insert into auth_user ("username", "nickname", "passwordHash", "securityStamp", "createdAt", "updatedAt")
select
  u."email", u."name",
  coalesce(a."password", 'none'), -- no password has this hash
  replace(gen_random_uuid()::text, '-', ''), u."createdAt", u."updatedAt"
from "user" u
left join "account" a on a."userId" = u."id" and a."providerId" = 'credential';

-- For your own tables: which user has which id now.
create table user_id_map as
select u."id" as old_id, n."id" as new_id
from "user" u join auth_user n on n."username" = u."email";
