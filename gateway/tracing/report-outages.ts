import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

/** Logs when the trace collector first fails, and when it works again. */
export function reportOutages(
  exporter: SpanExporter,
  logger: Pick<Logger, 'warn' | 'info'>,
): SpanExporter {
  let isUnavailable = false;

  function report({ code, error }: ExportResult): void {
    const hasFailed = code !== ExportResultCode.SUCCESS;
    if (hasFailed && !isUnavailable) {
      logger.warn({ err: error }, 'the collector accepts no traces, so traces are lost');
    } else if (!hasFailed && isUnavailable) logger.info('the collector accepts traces again');
    isUnavailable = hasFailed;
  }

  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        report(result);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
