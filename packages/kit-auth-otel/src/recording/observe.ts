import { Logger } from '@nestjs/common';
import { createNoopMeter, metrics, trace } from '@opentelemetry/api';
import type { Stop } from './channel.js';
import { countEvents } from './counters.js';
import { recordOperations } from './operations.js';

/** The instrumentation scope. */
const SCOPE = 'kit-auth';

/** Records the messages of all applications of this process. */
export function observe(): Stop {
  const meter = metrics.getMeter(SCOPE);
  if (meter === createNoopMeter()) {
    new Logger('KitAuth').log(
      '[auth] OpenTelemetry records no metrics: start its SDK, with a metric reader, before the application',
    );
  }
  const stops = [...countEvents(meter), ...recordOperations(meter, trace.getTracer(SCOPE))];
  return () => stops.forEach((stop) => stop());
}
