import { AccessEventEntity } from './access-event.ts';
import { AccessRequestEntity } from './access-request.ts';
import { AccountEntity } from './account.ts';
import { ApiKeyEntity } from './api-key.ts';
import { CompanyEntity } from './company.ts';
import { CompanyDataVersionEntity } from './company-data-version.ts';
import { IdempotencyKeyEntity } from './idempotency-key.ts';
import { InvestorEntity } from './investor.ts';
import { MetricPointEntity } from './metric-point.ts';
import { MetricSeriesEntity } from './metric-series.ts';
import { PortfolioMembershipEntity } from './portfolio-membership.ts';
import { SourceEntity } from './source.ts';

/**
 * What the tables hold. Foreign keys, checks and triggers stand in the migrations alone: composite keys that share a
 * column cannot be said here.
 */
export const entities = [
  AccessEventEntity,
  AccessRequestEntity,
  AccountEntity,
  ApiKeyEntity,
  CompanyDataVersionEntity,
  CompanyEntity,
  IdempotencyKeyEntity,
  InvestorEntity,
  MetricPointEntity,
  MetricSeriesEntity,
  PortfolioMembershipEntity,
  SourceEntity,
];
