import type { ExportedRecord } from '#core';
import { csvLine } from '#http';
import { presentAmount, presentReceipt, presentRevision } from '#rest-adapter';
import { csvLineOf, exportColumns } from './csv.ts';

export const exportFormats = ['ndjson', 'csv'] as const;

export type ExportFormat = (typeof exportFormats)[number];

export const formats = {
  ndjson: {
    header: '',
    line: (record: ExportedRecord) => `${JSON.stringify(jsonOf(record))}\n`,
  },
  csv: { header: csvLine(exportColumns), line: csvLineOf },
} as const;

/** The commands `import` and `verify` read this format. */
function jsonOf(record: ExportedRecord): object {
  switch (record.type) {
    case 'company': {
      const { id, name, environment } = record.company;
      return { type: 'company', id, name, environment };
    }
    case 'source': {
      const { companyId, provider, status, accountName, lastSyncedAt, expectedEvery } =
        record.source;
      return {
        type: 'source',
        company_id: companyId,
        provider,
        status,
        account_name: accountName,
        last_synced_at: lastSyncedAt.toISOString(),
        ...(expectedEvery !== null && { expected_every: expectedEvery }),
      };
    }
    case 'account': {
      const { account } = record;
      return {
        type: 'account',
        id: account.id,
        company_id: account.companyId,
        provider: account.provider,
        name: account.name,
        account_type: account.type,
        currency: account.currency,
        balance: account.balance,
        raw_balance: presentAmount(account.rawBalance),
        last_four: account.lastFour,
        last_synced_at: account.lastSyncedAt.toISOString(),
      };
    }
    case 'metric': {
      const { source, ...metric } = presentRevision(record.metric);
      const { sourceSignature: signature } = record.metric.verification;
      return {
        type: 'metric',
        ...metric,
        source: { ...source, ...(signature !== undefined && { signature }) },
        revision: record.metric.revision,
      };
    }
    case 'receipt':
      return { type: 'consent_receipt', ...presentReceipt(record.receipt) };
    case 'receipts_head':
      return { type: 'consent_receipts_head', head: record.head };
  }
}
