import type { LoggerService } from '@nestjs/common';

export interface LogLine {
  level: 'log' | 'error' | 'warn' | 'debug' | 'verbose' | 'fatal';
  text: string;
}

/** Keeps what is logged, so that a test can read it. */
export class MemoryLogger implements LoggerService {
  readonly lines: LogLine[] = [];

  log = this.keep('log');
  error = this.keep('error');
  warn = this.keep('warn');
  debug = this.keep('debug');
  verbose = this.keep('verbose');
  fatal = this.keep('fatal');

  /** The module's own lines, as `level text`. */
  ours(): string[] {
    return this.lines
      .filter(({ text }) => text.startsWith('[auth]'))
      .map(({ level, text }) => `${level} ${text}`);
  }

  all(): string {
    return this.lines.map(({ text }) => text).join('\n');
  }

  private keep(level: LogLine['level']) {
    return (...parts: unknown[]) => {
      this.lines.push({
        level,
        text: parts
          .slice(0, Math.max(1, parts.length - 1))
          .map(String)
          .join(' '),
      });
    };
  }
}
