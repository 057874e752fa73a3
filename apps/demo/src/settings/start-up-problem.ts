const WORDS: Record<string, string> = {
  EADDRINUSE: 'the port is in use; set PORT to another',
  EADDRNOTAVAIL: 'HOST is no address of this machine',
  EACCES: 'the port needs more rights; set PORT to one above 1023',
  ECONNREFUSED: 'the database of DATABASE_URL refuses the connection',
  ENOTFOUND: 'the host of DATABASE_URL or HOST is unknown',
};

/** One line, whatever went wrong. */
export function startUpProblem(error: unknown): string {
  const { code = '', message = String(error) } = (error ?? {}) as { code?: string; message?: string };
  const [line = ''] = (WORDS[code] ?? message).split('\n');
  return line;
}
