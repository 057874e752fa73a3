process.env.DATABASE_URL ??= 'postgres://postgres@127.0.0.1:5432/example_typeorm';
process.env.KIT_AUTH_PASSWORD_COST = '10'; // the lowest, so that the tests are fast
