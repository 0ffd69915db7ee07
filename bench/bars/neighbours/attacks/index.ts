import type { Attack } from '../attack.ts';
import { batchesOfOperations } from './batches-of-operations.ts';
import { fanOut } from './fan-out.ts';
import { manyGraphqlBatches, oneGraphqlBatch } from './graphql-batches.ts';
import { historiesByAliases, historiesByTrpc, slowBatches, slowHistories } from './histories.ts';
import { busyLimiter, pausedRedis } from './limiter.ts';
import { mutations } from './mutations.ts';
import { companyBudget, manyStreams } from './one-owner.ts';
import { recordLists } from './record-lists.ts';
import { manyRefusedReads } from './refused-reads.ts';
import { requestLists } from './request-lists.ts';
import { slowRecords } from './slow-records.ts';
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
