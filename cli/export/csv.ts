import type { ExportedRecord } from '#core';
import { csvLine, metricCells, metricColumns } from '#http';

const voidColumn = 'void_reason';

/** These columns follow the metric columns. A row has either a metric, a receipt or the head of a receipt list. */
const receiptColumns = ['receipt.id', 'receipt.jws', 'receipts.head'];

export const exportColumns = [...metricColumns, voidColumn, ...receiptColumns];

const noMetric = [...metricColumns, voidColumn].map(() => null);
const noReceipt = receiptColumns.map(() => null);

/** Returns an empty text for a record without a signature. */
export function csvLineOf(record: ExportedRecord): string {
  switch (record.type) {
    case 'metric': {
      const { metric } = record;
      const voidReason = metric.rawValue === null ? metric.voidReason : null;
      return csvLine([...metricCells(metric), voidReason, ...noReceipt]);
    }
    case 'receipt':
      return csvLine([...noMetric, record.receipt.id, record.receipt.jws, null]);
    case 'receipts_head':
      return csvLine([...noMetric, null, null, record.head]);
    default:
      return '';
  }
}
