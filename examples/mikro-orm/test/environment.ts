process.env.DATABASE_URL ??= 'postgres://postgres@127.0.0.1:5432/example_mikro_orm';
process.env.REDIS_URL ??= 'redis://127.0.0.1:6379';
process.env.REDIS_PREFIX ??= 'example-mikro-orm:';
process.env.KIT_AUTH_DEFAULT_ADMIN_USERNAME = 'root';
process.env.KIT_AUTH_DEFAULT_ADMIN_PASSWORD = 'the first password of all';
process.env.KIT_AUTH_LOGIN_THROTTLE = 'false'; // the tests send many wrong passwords
