import { describe, it } from '@jest/globals';
import { SERVERS, sharedDatabase } from 'test-support';
import { expectRefusals, startDemo } from './process.js';

describe.each(SERVERS)('the demo on %s', (name) => {
  it('refuses what no database could take', async () => {
    const database = sharedDatabase(name);
    await database.recreate();
    const { port } = await startDemo({ DATABASE_URL: (database.options as { url: string }).url });
    await expectRefusals(port);
  });
});
