import { describe, expect, it } from '@jest/globals';
import { EVERYWHERE, freezeDate, testApp } from 'test-support';
import { describeNoPassword } from './no-password.suite.js';

EVERYWHERE.forEach((where) => describeNoPassword({ database: 'sqlite', ...where }));

describe('the throttle', () => {
  it('counts wrong passwords of an account without one like those of others', async () => {
    const codes: number[][] = [];
    for (const fields of [{ passwordHash: null }, {}]) {
      freezeDate();
      const app = await testApp();
      const { username } = await app.user(fields);
      const ofOne: number[] = [];
      for (let i = 0; i < 12; i++) {
        ofOne.push((await app.login(username, 'a wrong one 4711')).json.code);
      }
      codes.push(ofOne);
      await app.close();
    }
    expect(codes[0]).toContain(42900);
    expect(codes[0]).toEqual(codes[1]);
  });
});
