insert into auth_user_email ("userId", "address", "addressKey", "verifiedAt")
select
  "id", "email", lower("email"),
  case when "emailVerified" then (extract(epoch from "updatedAt") * 1000)::bigint end
from "user";
