// Loads the packages with `import` and with `require()`, and expects one copy of everything.
//   node mixed.cjs import    starts with `import`
//   node mixed.cjs require   starts with `require()`
require('reflect-metadata');
const assert = require('node:assert/strict');
const { hash } = require('bcrypt');
const { Controller, Get, Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');

const LOADERS = { import: (name) => import(name), require: (name) => Promise.resolve(require(name)) };
const USER = { userId: 7, username: 'ada', nickname: 'Ada', superAdmin: false, roles: [], permissions: [] };
const PASSWORD = 'correct horse';

/** `kit-auth`, `kit-auth/typeorm` and so on: all entries of the packages that are installed. */
function entries() {
  const { dependencies, devDependencies } = require('./package.json');
  const packages = Object.keys({ ...dependencies, ...devDependencies }).filter((it) =>
    it.startsWith('kit-auth'),
  );
  return packages.flatMap((name) =>
    Object.keys(require(`${name}/package.json`).exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => name + entry.slice(1)),
  );
}

async function expectOneCopy(first, second) {
  const names = entries();
  assert.ok(names.length > 8, 'the packages are not installed');
  for (const entry of names) {
    const one = await first(entry);
    const other = await second(entry);
    assert.ok(Object.keys(one).length > 0, `${entry} exports nothing`);
    for (const name of Object.keys(one)) {
      // What is imported has a module that is CommonJS alone as its default export, since Node 23 also by this name.
      const isWhole = ['default', 'module.exports'].includes(name) && one[name] === other;
      assert.ok(isWhole || one[name] === other[name], `${name} of ${entry} is there twice`);
    }
  }
  return names.length;
}

/** An application whose modules are imported, and which asks for their providers with the classes that it requires. */
async function expectLogin() {
  const { KitAuthModule, AUTH_USER_STORE } = await import('kit-auth');
  const { KitAuthJwtModule } = await import('kit-auth-jwt');
  const { AuthManager, KitAuthContext } = require('kit-auth');
  const passwordHash = await hash(PASSWORD, 10);
  const store = {
    findByUsername: async () => ({ id: 7, username: 'ada', passwordHash, enabled: true, securityStamp: 's' }),
    loadLoginUser: async () => USER,
  };

  class UsersModule {}
  Module({ providers: [{ provide: AUTH_USER_STORE, useValue: store }] })(UsersModule);

  class HelloController {
    constructor(context) {
      this.context = context;
    }
    hello() {
      return { hello: this.context.getOrThrow().nickname };
    }
  }
  Reflect.defineMetadata('design:paramtypes', [KitAuthContext], HelloController);
  Get()(
    HelloController.prototype,
    'hello',
    Object.getOwnPropertyDescriptor(HelloController.prototype, 'hello'),
  );
  Controller('v1/hello')(HelloController);

  class AppModule {}
  const imports = [KitAuthModule.forRoot({ users: UsersModule }), KitAuthJwtModule];
  Module({ imports, controllers: [HelloController] })(AppModule);

  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'], abortOnError: false });
  await app.listen(0, '127.0.0.1');
  const { token } = await app.get(AuthManager).login('ada', PASSWORD);
  const answer = await fetch(`${await app.getUrl()}/v1/hello`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  assert.deepEqual(await answer.json(), { hello: 'Ada' });
  await app.close();
}

async function main(first) {
  const second = first === 'import' ? 'require' : 'import';
  const count = await expectOneCopy(LOADERS[first], LOADERS[second]);
  await expectLogin();
  console.log(`Node ${process.version}: one copy of ${count} entries with ${first} before ${second}`);
}

void main(process.argv[2]);
