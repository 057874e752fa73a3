import { Injectable } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import type { AuthEvent } from 'kit-auth';

/** Keeps the events that the event emitter of the application publishes. */
@Injectable()
export class EventListener {
  readonly heard: AuthEvent[] = [];

  @OnEvent('kit-auth.*')
  on(event: AuthEvent) {
    this.heard.push(event);
  }
}
