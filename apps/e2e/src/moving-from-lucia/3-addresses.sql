insert into auth_user_email ("userId", "address", "addressKey", "verifiedAt")
select "id", "email", lower("email"), null
from "user";
