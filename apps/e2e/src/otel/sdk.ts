import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import {
  type Attributes,
  type Context,
  context,
  type ContextManager,
  metrics,
  ROOT_CONTEXT,
  type Span,
  trace,
} from '@opentelemetry/api';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

type Next = () => void;

export interface Measured {
  attributes: Attributes;
  /** A number, or a histogram. */
  value: unknown;
}

export interface Change {
  unit: string;
  points: Measured[];
}

interface Totals {
  count: number;
  sum: number;
}

class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** What the SDK for Node does: keeps the active context in an AsyncLocalStorage. */
class StorageContextManager implements ContextManager {
  private readonly storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.storage.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.storage.run(active, () => work.apply(thisArg, args));
  }

  bind<T>(_active: Context, target: T): T {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.storage.disable();
    return this;
  }
}

function minus(value: unknown, old: unknown): unknown {
  if (typeof value === 'number') {
    return value - ((old as number | undefined) ?? 0) || undefined;
  }
  const [now, then] = [value as Totals, (old as Totals | undefined) ?? { count: 0, sum: 0 }];
  return now.count === then.count ? undefined : { count: now.count - then.count, sum: now.sum - then.sum };
}

/** The SDK of OpenTelemetry, with metrics and spans in memory. */
export class OtelSdk {
  private readonly reader = new Reader();
  private readonly exporter = new InMemorySpanExporter();

  /** Before applications start. */
  start(): void {
    context.setGlobalContextManager(new StorageContextManager());
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [this.reader] }));
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.exporter)] }),
    );
  }

  stop(): void {
    context.disable();
    metrics.disable();
    trace.disable();
  }

  /** Middleware that runs each request in a span, as instrumentations of HTTP do. It is named after the header `x-span`. */
  readonly requestSpans = (
    request: { headers: Record<string, string> },
    _response: unknown,
    next: Next,
  ): void => {
    this.inSpan(request.headers['x-span'] ?? 'request', (span) => {
      span.end();
      next();
    });
  };

  /** Runs work in a span, which it has to end. */
  inSpan<T>(name: string, work: (span: Span) => T): T {
    return trace.getTracer('test').startActiveSpan(name, work);
  }

  /** What was measured since the start. */
  async metrics(): Promise<{ name: string; unit: string; points: Measured[] }[]> {
    const { resourceMetrics } = await this.reader.collect();
    return resourceMetrics.scopeMetrics.flatMap((scope) =>
      scope.metrics.map(({ descriptor: { name, unit }, dataPoints }) => ({
        name,
        unit,
        points: dataPoints.map(({ attributes, value }) => ({ attributes, value })),
      })),
    );
  }

  /** What work adds to a metric. Of a histogram, that is the count and the sum. */
  async changes(name: string, work: () => Promise<unknown>): Promise<Change> {
    const [change] = await this.allChanges([name], work);
    return change as Change;
  }

  async allChanges(names: readonly string[], work: () => Promise<unknown>): Promise<Change[]> {
    const before = await this.metrics();
    await work();
    const after = await this.metrics();
    return names.map((name) => {
      const earlier = before.find((metric) => metric.name === name)?.points ?? [];
      const { unit = '', points = [] } = after.find((metric) => metric.name === name) ?? {};
      return {
        unit,
        points: points.flatMap(({ attributes, value }) => {
          const old = earlier.find((point) => isDeepStrictEqual(point.attributes, attributes))?.value;
          const difference = minus(value, old);
          return difference === undefined ? [] : [{ attributes, value: difference }];
        }),
      };
    });
  }

  get spans(): ReadableSpan[] {
    return this.exporter.getFinishedSpans();
  }

  clearSpans(): void {
    this.exporter.reset();
  }
}
