import { hash, randomBytes } from 'node:crypto';
import {
  type CallerUseCases,
  type CompanyUseCases,
  createCallerUseCases,
  createCompanyUseCases,
  createOperatorUseCases,
  type OperatorUseCases,
  type Ports,
  type RateLimiter,
} from '#core';
import { type Database, type DatabaseConfig, openDatabase } from '#db';
import { DataCache } from '#http';
import { writeWebhook } from '#rest-adapter';
import { cacheCompanyData } from './company-data-cache.ts';
import type { Config } from './config.ts';
import { createId } from './ids.ts';
import { createWebhookSender } from './webhooks/sender.ts';

/** The core's use cases over an open database. */
export interface Composition {
  readonly database: Database;
  readonly callerUseCases: CallerUseCases;
  readonly companyUseCases: CompanyUseCases;
  readonly operatorUseCases: OperatorUseCases;
  readonly cache: DataCache;
}

interface ComposeOptions {
  readonly role: 'service' | 'command';
  readonly rateLimiter: RateLimiter;
  /** Called when something breaks that no request waits for. */
  readonly onError: (error: unknown) => void;
  readonly onRefusalsDropped?: DatabaseConfig['onRefusalsDropped'];
  readonly onWait?: DatabaseConfig['onWait'];
}

export async function compose(config: Config, options: ComposeOptions): Promise<Composition> {
  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    role: options.role,
    onError: options.onError,
    onRefusalsDropped: options.onRefusalsDropped,
    onWait: options.onWait,
  });
  const cache = new DataCache(config.memoryBytes);
  const ports: Ports = {
    ...database.repositories,
    companyData: cacheCompanyData(database.repositories.companyData, cache),
    clock: { now: () => new Date() },
    cryptography: {
      randomBytes: (count) => randomBytes(count),
      sha256: (text) => hash('sha256', text, 'hex'),
    },
    ids: { next: createId },
    rateLimiter: options.rateLimiter,
    webhooks: {
      sender: createWebhookSender(config.webhooks),
      write: writeWebhook,
      retrySeconds: config.webhooks.retrySeconds,
    },
    settings: { pendingTtlDays: config.pendingTtlDays, grantTtlDays: config.grantTtlDays },
  };
  return {
    database,
    callerUseCases: createCallerUseCases(ports),
    companyUseCases: createCompanyUseCases(ports),
    operatorUseCases: createOperatorUseCases(ports),
    cache,
  };
}
