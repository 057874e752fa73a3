import { EventEmitterModule } from '@nestjs/event-emitter';
import type { AuthEvent } from 'kit-auth';
import { EventListener } from './event-listener.js';
import { type OwnParts, TestApp, type TestAppOptions } from './test-app.js';

/** An application whose events a test can read. */
export class ListeningApp extends TestApp {
  constructor(options: TestAppOptions = {}, { imports = [], providers = [], ...own }: OwnParts = {}) {
    super(options, {
      ...own,
      imports: [...imports, EventEmitterModule.forRoot({ wildcard: true })],
      providers: [EventListener, ...providers],
    });
  }

  /** The events of a type. @param about the user whom they are about. Default: anybody */
  heard(type: string, about?: { id: unknown }): AuthEvent[] {
    const { heard } = this.get(EventListener);
    return heard.filter(
      (event) => event.type === type && (about === undefined || event.subjectId === about.id),
    );
  }

  /** The types of the events about a user. */
  eventsOf({ id }: { id: unknown }): string[] {
    return this.get(EventListener)
      .heard.filter(({ subjectId }) => subjectId === id)
      .map(({ type }) => type);
  }
}
