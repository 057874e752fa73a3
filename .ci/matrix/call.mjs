// Starts an application, calls it as a client would, and ends it: node call.mjs dist/main.js
// The application prints its address, and nothing else.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const application = spawn(process.execPath, process.argv.slice(2), {
  env: { ...process.env, PORT: '0' },
  stdio: ['ignore', 'pipe', 'pipe'],
});
const ended = once(application, 'exit');
let output = '';

/** The address, or undefined if the application ends before it has one. */
function address() {
  return new Promise((resolve) => {
    const read = (data) => {
      output += data;
      const [url] = /^http:\S+$/m.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    };
    application.stdout.on('data', read);
    application.stderr.on('data', read);
    ended.then(() => resolve(undefined));
  });
}

function check(holds, what) {
  if (!holds) {
    throw new Error(`${what}\nThe application printed:\n${output}`);
  }
  console.log(`ok: ${what}`);
}

try {
  const url = await address();
  check(url !== undefined, 'the application starts');
  const call = async (wanted, method, path, { token, body } = {}) => {
    const headers = { 'Content-Type': 'application/json' };
    if (token !== undefined) headers.Authorization = `Bearer ${token}`;
    const answer = await (
      await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
    ).text();
    check(answer.includes(wanted), `${method} ${path} answers ${wanted}: ${answer.slice(0, 200)}`);
    return answer;
  };
  const login = (wanted, password) =>
    call(wanted, 'POST', '/v1/api/auth/login', { body: { username: 'admin', password } });

  await call('"open":true', 'GET', '/v1/notes/published');
  await call('"code":40100', 'GET', '/v1/notes');
  await call('"code":40101', 'GET', '/v1/notes', { token: 'x.y.z' });
  await login('"code":40110', 'admin');
  const { token } = JSON.parse(await login('"token"', 'correct horse'));
  await call('"user":"admin"', 'GET', '/v1/notes', { token });
  await call('"superAdmin":true', 'GET', '/v1/api/auth/me', { token });
  await call('"total":1', 'GET', '/v1/api/auth/users', { token });

  application.kill();
  await ended;
  check(output.trim() === url, 'the application prints only its address');
} finally {
  application.kill('SIGKILL');
}
