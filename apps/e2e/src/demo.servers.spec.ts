import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { serverDatabases } from './databases.js';
import { expectRefusals, startDemo } from './demo-process.js';

describe.each(serverDatabases('demo'))('the demo on $name', ({ options, recreate, drop }) => {
  beforeAll(recreate);
  afterAll(drop);

  it('refuses what no database could take', async () => {
    const { url } = options as { url: string };
    const { port } = await startDemo({ DATABASE_URL: url });
    await expectRefusals(port);
  });
});
