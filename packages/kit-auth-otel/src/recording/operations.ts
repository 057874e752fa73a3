import {
  type Attributes,
  context,
  type Histogram,
  type Meter,
  type Span,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { AuthHashMessage, AuthOperationMessage, AuthResolveMessage, AuthStoreMessage } from 'kit-auth';
import { errorOf, outcomeOf } from './attributes.js';
import { on, type Stop } from './channel.js';

/** Ranges from a lookup in memory to the deadline of a database. */
const LOOKUP_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** A bcrypt hash takes 0.05 seconds with cost 10, and a second or more with cost 14. */
const HASH_SECONDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2.5, 5];
const WAIT_SECONDS = [0.001, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How messages of a tracing channel become a span and measurements. */
interface Recording<Message> {
  readonly span: (message: Message) => string;
  /** The attributes that are known at the start. */
  readonly attributes: (message: Message) => Attributes;
  /** @returns more attributes of the span */
  readonly measure?: (message: Message, seconds: number) => Attributes | undefined;
}

/** Stored as a property of the message, because a WeakMap would cost several microseconds per request. */
const RUNNING = Symbol('kit-auth-otel.running');

interface Running {
  readonly span: Span;
  readonly startedAt: number;
}

/** Records a span around each operation, and how long hashes and look-ups take. */
export function recordOperations(meter: Meter, tracer: Tracer): Stop[] {
  const lookups = seconds(meter, 'kit_auth.store.duration', LOOKUP_SECONDS, 'How long a look-up takes.');
  const hashes = seconds(
    meter,
    'kit_auth.hash.duration',
    HASH_SECONDS,
    'How long it takes to hash or compare a password, without the time in the queue.',
  );
  const waits = seconds(
    meter,
    'kit_auth.hash.time_in_queue',
    WAIT_SECONDS,
    'How long a password waits until it is hashed or compared.',
  );
  const ofStore = ({ store, operation }: AuthStoreMessage) => ({
    'kit_auth.store.name': store,
    'kit_auth.store.operation': operation,
  });
  const ofHash = ({ operation }: AuthHashMessage) => ({ 'kit_auth.hash.operation': operation });
  return [
    ...record<AuthResolveMessage>(tracer, 'kit-auth:resolve', {
      span: () => 'kit_auth.resolve',
      attributes: ({ scheme }) => ({ 'kit_auth.scheme': scheme }),
    }),
    ...record<AuthHashMessage>(tracer, 'kit-auth:hash', {
      span: ({ operation }) => `kit_auth.hash ${operation}`,
      attributes: ofHash,
      measure(message, duration) {
        const attributes = { ...ofHash(message), ...errorOf(message) };
        // Undefined if the queue was full or the client disconnected: then the hash was never computed.
        const { waited = duration } = message;
        waits.record(waited, attributes);
        if (message.waited !== undefined) {
          hashes.record(duration - waited, attributes);
        }
        return { 'kit_auth.hash.time_in_queue': waited };
      },
    }),
    ...record<AuthStoreMessage>(tracer, 'kit-auth:store', {
      span: ({ store, operation }) => `kit_auth.store ${store}.${operation}`,
      attributes: ofStore,
      measure(message, duration) {
        lookups.record(duration, { ...ofStore(message), ...errorOf(message) });
        return undefined;
      },
    }),
  ];
}

function seconds(meter: Meter, name: string, buckets: number[], description: string): Histogram {
  return meter.createHistogram(name, {
    unit: 's',
    description,
    advice: { explicitBucketBoundaries: buckets },
  });
}

type Observed<Message> = Message & { [RUNNING]?: Running | undefined };

function record<Message extends AuthOperationMessage>(
  tracer: Tracer,
  channel: string,
  { span: nameOf, attributes, measure }: Recording<Message>,
): Stop[] {
  const start = (message: Observed<Message>): void => {
    const span = tracer.startSpan(nameOf(message), { attributes: attributes(message) });
    message[RUNNING] = { span, startedAt: performance.now() };
    const inSpan = trace.setSpan(context.active(), span);
    const { around } = message;
    message.around = (work) => context.with(inSpan, around === undefined ? work : () => around(work));
  };
  const end = (message: Observed<Message>): void => {
    const found = message[RUNNING];
    // Without an outcome, the operation continues in a promise. It may also have started before the subscription.
    if (message.outcome === undefined || found === undefined) {
      return;
    }
    message[RUNNING] = undefined;
    const { span, startedAt } = found;
    const more = measure?.(message, (performance.now() - startedAt) / 1000);
    span.setAttributes({ ...outcomeOf(message), ...more });
    if (message.outcome === 'failed') {
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  };
  return [
    on(`tracing:${channel}:start`, start),
    on(`tracing:${channel}:end`, end),
    on(`tracing:${channel}:asyncEnd`, end),
  ];
}
