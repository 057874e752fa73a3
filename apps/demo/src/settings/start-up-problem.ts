const WORDS: Record<string, string> = {
  EADDRINUSE: 'the port is in use; set PORT to another',
  EADDRNOTAVAIL: 'HOST is no address of this machine',
  'listen EACCES': 'the port needs more rights; set PORT to one above 1023',
  ECONNREFUSED: 'the database of DATABASE_URL refuses the connection',
  ENOTFOUND: 'the host of DATABASE_URL or HOST is unknown',
};

/** The errors of Node, `bindings` and `node-gyp-build` about a native module for another platform, or a missing one. */
const NATIVE = /NODE_MODULE_VERSION|Could not locate the bindings file|No native build was found/;

/** Describes any error in one line. */
export function startUpProblem(error: unknown): string {
  const { code = '', syscall, message = String(error) } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  const line = message.trim().replace(/\s*\n\s*/g, ' ');
  if (code === 'ERR_DLOPEN_FAILED' || NATIVE.test(message)) {
    return `a native module does not fit this version of Node; run "npm rebuild", then start again (${line})`;
  }
  if (code.startsWith('SQLITE_')) {
    return `the SQLite file of DATABASE_URL cannot be used: ${line}`;
  }
  // An AggregateError has a code and no message.
  return WORDS[code] ?? WORDS[`${syscall} ${code}`] ?? (line || code);
}
