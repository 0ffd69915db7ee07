import { ExportResultCode } from '@opentelemetry/core';
import { expect, it } from 'vitest';
import { reportOutages } from '../../../gateway/tracing/report-outages.ts';

it('an outage of the collector is logged once, and so is its end', () => {
  const lines: string[] = [];
  const log = (_details: unknown, message?: string) => lines.push(message ?? String(_details));
  let code = ExportResultCode.FAILED;
  const exporter = reportOutages(
    { export: (_spans, done) => done({ code }), shutdown: async () => undefined },
    { warn: log, info: log },
  );
  const send = () => exporter.export([], () => undefined);
  send();
  send();
  code = ExportResultCode.SUCCESS;
  send();
  send();
  expect(lines).toEqual([
    'the collector accepts no traces, so traces are lost',
    'the collector accepts traces again',
  ]);
});
