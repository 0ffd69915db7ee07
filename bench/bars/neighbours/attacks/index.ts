import type { Attack } from '../attack.ts';
import { batchesOfOperations, manyGraphqlBatches, mutations, oneGraphqlBatch } from './batches.ts';
import { fanOut } from './fan-out.ts';
import { historiesByAliases, historiesByTrpc, slowBatches, slowHistories } from './histories.ts';
import { busyLimiter, pausedRedis } from './limiter.ts';
import { recordLists, requestLists } from './lists.ts';
import { companyBudget, manyStreams } from './one-owner.ts';
import { manyRefusedReads, slowRecords } from './refused-reads.ts';
import { anonymousBodies, openApiDocument, slowPages, unknownKeys } from './without-a-key.ts';

export const attacks: readonly Attack[] = [
  oneGraphqlBatch,
  manyGraphqlBatches,
  mutations,
  manyRefusedReads,
  slowRecords,
  batchesOfOperations,
  openApiDocument,
  slowPages,
  unknownKeys,
  anonymousBodies,
  historiesByTrpc,
  historiesByAliases,
  slowHistories,
  slowBatches,
  recordLists,
  requestLists,
  busyLimiter,
  pausedRedis,
  manyStreams,
  companyBudget,
  fanOut,
];
