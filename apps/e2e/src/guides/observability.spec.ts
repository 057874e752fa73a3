import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { metrics } from '@opentelemetry/api';
import { DataPointType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { KitAuthOtelModule } from 'kit-auth-otel';
import { testApp } from 'test-support';

@Controller('v1/notes')
class NotesController {
  @Get()
  list() {
    return [];
  }
}

class Reader extends MetricReader {
  protected override async onForceFlush() {}
  protected override async onShutdown() {}
}

const guide = readFileSync('docs/guides/observability.md', 'utf8');
const [, shown = ''] = /kit_auth_decisions\n```\n\n```text\n(.*?)```/s.exec(guide) ?? [];

describe('the guide to observability', () => {
  afterAll(() => {
    metrics.disable();
  });

  it('shows the decisions of a login, a request with a token and one without', async () => {
    const reader = new Reader();
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
    const app = await testApp({ imports: [KitAuthOtelModule], controllers: [NotesController] });
    const token = await app.tokenOf(await app.user());
    expect(await app.codeOf(token, '/v1/notes')).toBe(200);
    expect(await app.codeOf(undefined, '/v1/notes')).toBe(40100);

    const { resourceMetrics } = await reader.collect();
    const decisions = resourceMetrics.scopeMetrics
      .flatMap((scope) => scope.metrics.map((metric) => ({ ...metric, scope: scope.scope.name })))
      .find(({ descriptor }) => descriptor.name === 'kit_auth.decisions');
    if (decisions?.dataPointType !== DataPointType.SUM) {
      throw new Error('kit_auth.decisions is no counter');
    }
    // As the exporter of Prometheus writes them.
    const { description, unit } = decisions.descriptor;
    const lines = decisions.dataPoints.map(({ attributes, value }) => {
      const labels = Object.entries({ ...attributes, 'otel.scope.name': decisions.scope });
      const text = labels.map(([label, value]) => `${label.replaceAll('.', '_')}="${value}"`).join(',');
      return `kit_auth_decisions_total{${text}} ${value}`;
    });
    expect(shown.trim().split('\n')).toEqual([
      `# HELP kit_auth_decisions_total ${description}`,
      `# UNIT kit_auth_decisions_total ${unit}`,
      '# TYPE kit_auth_decisions_total counter',
      ...lines,
    ]);
  });
});
