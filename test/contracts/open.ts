import { afterAll, beforeAll } from 'vitest';
import type { Repositories } from '#core';

interface OpenRepositories {
  readonly repositories: Repositories;
  close(): Promise<void>;
}

export type Open = () => Promise<OpenRepositories>;

/** Opened once for the suite that calls this; each test makes what it needs under ids of its own. */
export function useRepositories(open: Open): Repositories {
  let opened: OpenRepositories | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    await opened?.close();
  });
  const use = <P extends keyof Repositories>(port: P): Repositories[P] => {
    if (opened === undefined) throw new Error('the repositories are not open yet');
    return opened.repositories[port];
  };
  return {
    get accessEvents() {
      return use('accessEvents');
    },
    get deskSessions() {
      return use('deskSessions');
    },
    get signInLinks() {
      return use('signInLinks');
    },
    get companyKeys() {
      return use('companyKeys');
    },
    get contacts() {
      return use('contacts');
    },
    get accessRecordArchive() {
      return use('accessRecordArchive');
    },
    get accessRecords() {
      return use('accessRecords');
    },
    get accessRequests() {
      return use('accessRequests');
    },
    get accessStatistics() {
      return use('accessStatistics');
    },
    get apiKeys() {
      return use('apiKeys');
    },
    get companyData() {
      return use('companyData');
    },
    get directory() {
      return use('directory');
    },
    get exports() {
      return use('exports');
    },
    get idempotencyKeys() {
      return use('idempotencyKeys');
    },
    get upstreamSigners() {
      return use('upstreamSigners');
    },
    get webhookDeliveries() {
      return use('webhookDeliveries');
    },
    get webhookEndpoints() {
      return use('webhookEndpoints');
    },
    get imports() {
      return use('imports');
    },
    get receipts() {
      return use('receipts');
    },
    get mails() {
      return use('mails');
    },
    get outbox() {
      return use('outbox');
    },
    get metricSignatures() {
      return use('metricSignatures');
    },
    get signingKeys() {
      return use('signingKeys');
    },
    get accessFacts() {
      return use('accessFacts');
    },
  };
}
