import { Test } from '@nestjs/testing';
import { actingAs, KitAuthTestingModule } from 'kit-auth-testing';
import request from 'supertest';
import { adapter } from '../src/adapter';
import { AppModule } from '../src/app.module';
import { Implementation } from '../src/implementation';

describe('an application with replaced authentication', () => {
  it('serves a user without a login', async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideModule(Implementation) // keeps the users, whom kit-auth-admin manages
      .useModule(KitAuthTestingModule)
      .compile();
    const app = module.createNestApplication(adapter());
    await app.listen(0, '127.0.0.1');
    const editor = await actingAs(app, { username: 'ada', permissions: ['note:*'] });
    await request(await app.getUrl())
      .delete('/v1/notes')
      .set(editor.headers)
      .expect(200, { removed: true });
    await app.close();
  }, 60_000);
});
