import { type GraphQLSchema, specifiedDirectives } from 'graphql';
import { incrementalDirectives } from '../documents/incremental-delivery.ts';
import { builder } from './builder.ts';
import './access-records.ts';
import './access-request-changes.ts';
import './access-request-history.ts';
import './access-request-mutations.ts';
import './access-requests.ts';
import './accounts.ts';
import './api-key.ts';
import './companies.ts';
import './company-data-changes.ts';
import './metric-sources.ts';
import './metric-histories.ts';
import './metrics.ts';
import './node.ts';
import './receipts.ts';
import './scalars.ts';
import './sources.ts';
import './viewer.ts';

export const createGraphqlSchema = (): GraphQLSchema =>
  builder.toSchema({ directives: [...specifiedDirectives, ...incrementalDirectives] });
